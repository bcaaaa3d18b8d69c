import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from '../compare/measure.ts';
import type { Machine } from '../compare/machine.ts';
import type { ToolName } from '../tools/tool.ts';

/** One run of the benchmark, as it is written to `bench/results`. Times in seconds, everything else in bytes. */
export interface Results {
  readonly startedAt: string;
  readonly commit: string;
  /** Sources differed from the commit. */
  readonly changed: boolean;
  readonly scale: number;
  readonly rounds: number;
  readonly machine: Machine;
  /** What each program says about its version. */
  readonly versions: Readonly<Record<string, string>>;
  readonly measurements: readonly Measurement[];
}

/** One step of one workload. */
export interface Measurement {
  readonly id: string;
  readonly title: string;
  readonly files: number;
  readonly bytes: number;
  readonly baseline?: ToolName;
  readonly linkBytesPerSecond?: number;
  readonly programs: readonly ProgramSamples[];
}

export interface ProgramSamples {
  readonly name: ToolName;
  readonly label: string;
  /** In the order of the rounds; the throw-away round is not among them. */
  readonly samples: readonly Sample[];
}

export interface Sample extends Measured {
  /** The sizes of all files of the repository afterwards. */
  readonly storedBytes: number;
  /** What passed over the link in bytes a second, in the direction of the data, while data passed. */
  readonly linkBusyRate?: number;
}

/** Answers the file's path: the day, and the time, since a day may have several runs. */
export function writeResults(folder: string, results: Results): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${results.startedAt.slice(0, 16).replace(':', '')}.json`);
  writeFileSync(path, `${JSON.stringify(results, undefined, 2)}\n`);
  return path;
}

/** All results of a folder, the oldest first. */
export function readResults(folder: string): readonly Results[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => readResultsFile(join(folder, name)));
}

export function readResultsFile(path: string): Results {
  return JSON.parse(readFileSync(path, 'utf8')) as Results;
}
