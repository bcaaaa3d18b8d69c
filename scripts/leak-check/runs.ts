/**
 * One process of the leak check, started with `--expose-gc`: repeats one kind of run through the
 * agent, prints the process's resources, and exits with 1 if they grow.
 *
 *     node --expose-gc scripts/leak-check/runs.ts KIND RUNS WORKSPACE
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Agent } from '../../src/agent/agent.ts';
import { homeAt } from '../../src/agent/home/home.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { FILES_IN_FOLDER, filePath, SET } from './workspace.ts';
import { ALLOWANCES, growthOf, leaksOf, type Holding, type Measure } from './trend.ts';

const SHOWN_EVERY = 10;

const KINDS: Readonly<Record<string, (agent: Agent, run: number) => Promise<void>>> = { backup, restore, verify };

const [, , kind = '', runsText, workspace = ''] = process.argv;
const runs = Number(runsText);
const runOnce = KINDS[kind];
const collectGarbage = globalThis.gc;
if (!runOnce || !collectGarbage) throw new Error('see the top of this file');

const agent = openAgent({ home: homeAt(join(workspace, 'home')), environment: process.env });
const points = kind === 'backup' ? [] : await agent.points({ set: SET });
const holdings: Holding[] = [];
console.log(
  `\n${kind.padEnd(12)}${columns()
    .map((name) => name.padStart(14))
    .join('')}`,
);
for (let run = 1; run <= runs; run += 1) {
  await runOnce(agent, run);
  holdings.push(await hold());
  if (run % SHOWN_EVERY === 0) console.log(line(`run ${run}`, holdings.at(-1)!));
}
console.log(line('growth', growthOf(holdings)));
const leaks = leaksOf(holdings);
if (leaks.length > 0) console.log(`It grows: ${leaks.join(', ')}.`);
process.exit(leaks.length > 0 ? 1 : 0);

/** Changes some files, creates one and deletes one. */
async function backup(agent: Agent, run: number): Promise<void> {
  const source = join(workspace, 'source');
  for (let index = 0; index < FILES_IN_FOLDER; index += 5) {
    writeFileSync(filePath(source, run * FILES_IN_FOLDER + index), `${run} `.repeat(1000 + index));
  }
  writeFileSync(join(source, `new ${run}`), `new ${run}`);
  rmSync(join(source, `new ${run - 1}`), { force: true });
  const { warnings } = await agent.backup({ set: SET }, { onProgress: () => undefined });
  if (warnings.length > 0) throw new Error(JSON.stringify(warnings));
}

/** Restores another restore point over the previous result. */
async function restore(agent: Agent, run: number): Promise<void> {
  const options = {
    set: SET,
    at: timeOf(run),
    paths: [],
    to: join(workspace, 'restored'),
    conflict: 'overwrite',
  } as const;
  const { failuresTotal } = await agent.restore(options, { onProgress: () => undefined });
  if (failuresTotal > 0) throw new Error(`${failuresTotal} files failed`);
}

async function verify(agent: Agent, run: number): Promise<void> {
  const options = { set: SET, at: timeOf(run), samplePercent: 100 };
  const { failuresTotal } = await agent.verify(options, { onProgress: () => undefined });
  if (failuresTotal > 0) throw new Error(`${failuresTotal} chunks failed`);
}

function timeOf(run: number): number {
  return Date.parse(points[run % points.length]!.restore_point);
}

/** Collects twice, since the first collection only queues finalizers. */
async function hold(): Promise<Holding> {
  for (let time = 0; time < 2; time += 1) {
    collectGarbage?.();
    await pause(20);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return {
    rss,
    heap: heapUsed,
    external,
    descriptors: readdirSync('/proc/self/fd').length,
    threads: readdirSync('/proc/self/task').length,
  };
}

function columns(): readonly Measure[] {
  return Object.keys(ALLOWANCES) as Measure[];
}

function line(title: string, values: Readonly<Record<Measure, number>>): string {
  const cell = (measure: Measure): string =>
    ALLOWANCES[measure] === 0 ? String(values[measure]) : `${(values[measure] / 1e6).toFixed(2)} MB`;
  return (
    title.padEnd(12) +
    columns()
      .map((measure) => cell(measure).padStart(14))
      .join('')
  );
}
