import type { Request } from '../arguments.ts';
import { consoleTable } from '../report/console-table.ts';
import { writeResults, type Measurement } from '../report/results.ts';
import type { Tool } from '../tools/tool.ts';
import type { Workload } from '../workloads/workload.ts';
import { WORKLOADS } from '../workloads/workloads.ts';
import { compareTools } from './compare.ts';
import { CommandFailed } from './measure.ts';
import { describeCommit, describeMachine } from './machine.ts';
import { CannotStart, type Workspace } from './workspace.ts';

/**
 * Runs the requested workloads. After each one it prints the tables and writes the results so far. If a workload
 * fails, the others still run.
 *
 * @throws CommandFailed at the end when any workload failed
 */
export async function runComparisons(
  request: Request,
  asked: ReadonlySet<string>,
  workspace: Workspace,
): Promise<void> {
  const { scale, rounds } = request;
  const workloads = WORKLOADS.filter(({ steps }) => steps.some(({ id }) => asked.has(id)));
  const tools = usableTools(workloads, request);
  workspace.requireSpace(workloads, scale);
  const run = {
    startedAt: new Date().toISOString(),
    ...describeCommit(),
    scale,
    rounds,
    machine: describeMachine(workspace.folder),
    versions: versionsOf(tools),
  };
  const measurements: Measurement[] = [];
  const failed: string[] = [];
  for (const [index, workload] of workloads.entries()) {
    const usable = workload.tools.filter((tool) => tools.has(tool));
    if (usable.length === 0) continue;
    try {
      onProgress(`${workload.name}: data`);
      const data = await workspace.data(workload.data, scale);
      const measured = await compareTools({ workload, tools: usable, asked, rounds, data, workspace, onProgress });
      console.log(`\n${consoleTable(measured)}\n`);
      measurements.push(...measured);
      if (request.results !== undefined) onProgress(writeResults(request.results, { ...run, measurements }));
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      console.error(`\n${workload.name} failed: ${error.message}\n`);
      failed.push(workload.name);
    }
    const isNeeded = workloads.some(({ data }, place) => place > index && data === workload.data);
    if (!isNeeded) workspace.release(workload.data, scale);
  }
  if (failed.length > 0) throw new CommandFailed(`Failed: ${failed.join(', ')}`);
}

/** Prints which tools are missing, and how to install them. */
function usableTools(workloads: readonly Workload[], { tools: chosen }: Request): ReadonlySet<Tool> {
  const tools = new Set(workloads.flatMap((workload) => workload.tools));
  for (const tool of tools) {
    // Over HTTP it is holdfast, too.
    const isChosen = chosen.length === 0 || chosen.some((name) => tool.name.split('-')[0] === name);
    const missing = isChosen ? tool.missing() : undefined;
    if (missing !== undefined) console.error(`${tool.label} is left out: it is not there (${missing}).`);
    if (!isChosen || missing !== undefined) tools.delete(tool);
  }
  if (tools.size === 0) throw new CannotStart('None of the programs is there.');
  return tools;
}

function versionsOf(tools: ReadonlySet<Tool>): Readonly<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const tool of tools) {
    const [name = tool.name] = tool.name.split('-');
    versions[name] = tool.version();
  }
  return { ...versions, node: `Node ${process.version}` };
}

function onProgress(text: string): void {
  console.error(`  ${text}`);
}
