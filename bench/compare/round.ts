import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCE } from '../data-sets/data-set.ts';
import type { Sample } from '../report/results.ts';
import type { Store, Tool } from '../tools/tool.ts';
import type { Step, Workload } from '../workloads/workload.ts';
import { folderSize } from './folder-size.ts';
import { CommandFailed, measure, run, type Measured } from './measure.ts';
import { warm } from './warm.ts';
import { remove, type Workspace } from './workspace.ts';

export interface Round {
  readonly workload: Workload;
  readonly tool: Tool;
  /** The folder of the data. */
  readonly data: string;
  /** The ids of the requested steps. */
  readonly asked: ReadonlySet<string>;
  /** Compares restores with the source, and adds a restore at the end if there was none. This is not measured. */
  readonly compare: boolean;
  readonly workspace: Workspace;
  /** Called after each requested step. */
  readonly onSample: (step: Step, sample: Sample) => void;
}

/**
 * Runs one tool's round: creates an empty repository, then runs all steps.
 *
 * @throws CommandFailed when a command fails or a restore differs from the source
 */
export async function runRound(round: Round): Promise<void> {
  const { workload, tool, data, asked, workspace } = round;
  const place = workspace.place(workload.inMemory === true);
  const source = join(data, SOURCE);
  const undo: (() => void)[] = [];
  const store = await tool.open(place, source);
  try {
    const steps = workload.steps.filter((step) => asked.has(step.id) || (step.kind === 'backup' && step.needed));
    for (const step of steps) {
      if (step.kind === 'backup' && step.change) {
        const { change } = step;
        change.apply(data);
        undo.unshift(() => change.undo(data));
      }
      const measured = await runStep(step, store, place, round);
      if (asked.has(step.id)) round.onSample(step, sampleOf(measured, step, store));
    }
    if (round.compare && steps.at(-1)?.kind !== 'restore') {
      const to = emptyFolder(place);
      await run(store.restore(to), place);
      requireEqual(source, store.restored(to));
    }
  } finally {
    for (const change of undo) change();
    await store.close();
    remove(place);
  }
}

async function runStep(step: Step, store: Store, place: string, round: Round): Promise<Measured> {
  const source = join(round.data, SOURCE);
  warm(source, folderSize(source).bytes, place);
  store.link?.up.reset();
  store.link?.down.reset();
  switch (step.kind) {
    case 'backup':
      return measure(store.backup(), place, store.servicePid);
    case 'list': {
      const measured = await measure(store.list(step.folder), place, store.servicePid);
      requireListed(join(source, step.folder), readFileSync(join(place, 'output'), 'utf8'));
      return measured;
    }
    case 'restore': {
      const to = emptyFolder(place);
      const measured = await measure(store.restore(to), place, store.servicePid);
      if (round.compare) requireEqual(source, store.restored(to));
      remove(to);
      return measured;
    }
  }
}

function sampleOf(measured: Measured, step: Step, { repository, link }: Store): Sample {
  const sample = { ...measured, storedBytes: folderSize(repository).bytes };
  if (!link) return sample;
  return { ...sample, linkBusyRate: (step.kind === 'backup' ? link.up : link.down).busyRate };
}

function emptyFolder(place: string): string {
  const folder = join(place, 'restored');
  mkdirSync(folder);
  return folder;
}

function requireListed(folder: string, output: string): void {
  const missing = readdirSync(folder).filter((name) => !output.includes(name));
  if (missing.length > 0)
    throw new CommandFailed(`The list of ${folder} is without ${missing.slice(0, 10).join(', ')}`);
}

function requireEqual(source: string, restored: string): void {
  const { status, stdout, stderr } = spawnSync('diff', ['-r', '--no-dereference', '--brief', source, restored], {
    encoding: 'utf8',
    maxBuffer: 1024 ** 3,
  });
  if (status !== 0)
    throw new CommandFailed(`The restore differs from the source:\n${(stdout + stderr).slice(0, 2000)}`);
}
