import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from '../arguments.ts';
import { runRound } from '../compare/round.ts';
import type { Workspace } from '../compare/workspace.ts';
import type { Tool } from '../tools/tool.ts';
import type { Workload } from '../workloads/workload.ts';
import { WORKLOADS } from '../workloads/workloads.ts';
import { callTree, topFunctions, type Call, type CpuProfile } from './cpu-profile.ts';
import { flamePicture } from './flame.ts';
import { ProfiledTool } from './profiled-tool.ts';

const SHOWN_FUNCTIONS = 15;

/** Threads with less CPU time are not printed. */
const SHORTEST_MS = 20;

/**
 * Runs the steps with Holdfast alone, once to warm up and once under V8's profiler, and prints for each thread where its
 * time went. The profiles, for Chrome's developer tools, and a flame graph of each thread stay in a folder of
 * `--dir`. A service in another process is not profiled.
 */
export async function runProfiles(request: Request, asked: ReadonlySet<string>, workspace: Workspace): Promise<void> {
  const { scale, directory } = request;
  const workloads = WORKLOADS.filter(({ steps }) => steps.some(({ id }) => asked.has(id)));
  workspace.requireSpace(workloads, scale);
  for (const workload of workloads) {
    const data = await workspace.data(workload.data, scale);
    // The last of several steps is the subject of the workload.
    const tool = workload.tools.findLast(({ name }) => name.startsWith('holdfast'))!;
    const folder = join(directory, 'holdfast-profiles', workload.name);
    await profileTool(tool, folder, { workload, data, asked, workspace });
    workspace.release(workload.data, scale);
  }
}

interface Setting {
  readonly workload: Workload;
  readonly data: string;
  readonly asked: ReadonlySet<string>;
  readonly workspace: Workspace;
}

async function profileTool(tool: Tool, folder: string, setting: Setting): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await runRound({ ...setting, tool, compare: false, onSample: () => undefined });
  const profiled = new ProfiledTool(tool, folder);
  await runRound({
    ...setting,
    tool: profiled,
    compare: false,
    onSample(step, { seconds }) {
      const named = profiled.nameLast(step.id);
      console.log(`\n${step.id}: ${seconds.toFixed(2)} s under the profiler; profiles and pictures in ${named}`);
      for (const name of readdirSync(named).sort()) showThread(named, name);
    },
  });
}

/** @param name `CPU.DATE.TIME.PROCESS.THREAD.NUMBER.cpuprofile`; thread 0 is the main one */
function showThread(folder: string, name: string): void {
  const tree = callTree(JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile);
  if (tree.totalMs < SHORTEST_MS) return;
  const number = name.split('.')[4];
  const title = `${number === '0' ? 'main thread' : `worker ${number}`}, ${tree.totalMs.toFixed(0)} ms`;
  writeFileSync(join(folder, name.replace(/cpuprofile$/, 'svg')), flamePicture(tree, title));
  console.log(`\n  ${title}\n${functionLines(tree).join('\n')}`);
}

function functionLines(tree: Call): readonly string[] {
  return topFunctions(tree, SHOWN_FUNCTIONS).map(({ name, place, selfMs }) => {
    const share = `${((100 * selfMs) / tree.totalMs).toFixed(1)} %`;
    return `  ${share.padStart(8)} ${selfMs.toFixed(0).padStart(8)} ms  ${name}${place === '' ? '' : `  ${place}`}`;
  });
}
