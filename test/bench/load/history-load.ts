import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SimulatedAgent, type SimulatedFiles } from './simulated-agent.ts';
import { count, printTable } from './table.ts';

const HOUR = 3_600_000;
const POINTS = [10, 100, 1_000];
/** Contents that files change between, so that few have to be uploaded. */
const CONTENTS = 61;
/** Runs that are measured at each number of points. */
const MEASURED = 20;

export interface HistoryLoad {
  readonly files: number;
  /** Of which this many are changed in each run. */
  readonly changed: number;
  /** Restore points that are kept before the last measured runs. */
  readonly most: number;
}

/**
 * Measures the processor time of a run while ever more restore points of its set are kept, for manifests of all files and for
 * differences. Service and client share this process.
 */
export async function measureHistory(folder: string, { files: number, changed, most }: HistoryLoad): Promise<void> {
  await using agent = await SimulatedAgent.start(join(folder, 'service'));
  const files = new Map<string, string>();
  const rows: string[][] = [];
  const contents = Array.from({ length: CONTENTS }, () => randomBytes(32).toString('hex'));
  let next = 0;
  const change = (some: number): SimulatedFiles => {
    const changes = new Map<string, string>();
    for (; changes.size < some; next += 1) {
      changes.set(`/home/folder ${next % 40}/file ${next % number}`, contents[next % CONTENTS]!);
    }
    for (const [path, digest] of changes) files.set(path, digest);
    return changes;
  };
  change(number);
  const made = [await agent.backUp(files)];
  const run = async (kind: 'all' | 'differences'): Promise<number> => {
    const changes = change(changed);
    agent.advance(HOUR);
    const before = process.cpuUsage();
    made.push(await (kind === 'all' ? agent.backUp(files) : agent.backUp(changes, made.at(-1))));
    const { user, system } = process.cpuUsage(before);
    await agent.tidy();
    return (user + system) / 1000;
  };
  for (const wanted of POINTS.filter((one) => one <= most)) {
    while (made.length < wanted) await run('differences');
    const row = [`${count(wanted)} points`];
    for (const kind of ['all', 'differences'] as const) {
      const times: number[] = [];
      while (times.length < MEASURED) times.push(await run(kind));
      row.push(`${times.toSorted((a, b) => a - b)[MEASURED / 2]!.toFixed(1)} ms`);
    }
    rows.push([...row, await agent.listed()]);
  }
  printTable(
    `Median CPU of a run with ${count(changed)} of ${count(number)} files changed`,
    ['kept', 'manifest of all files', 'differences', 'list of points'],
    rows,
  );
}
