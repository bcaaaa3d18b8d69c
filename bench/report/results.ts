import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from '../compare/measure.ts';
import type { Machine } from '../compare/machine.ts';
import type { ToolName } from '../tools/tool.ts';

/** One benchmark run, as stored in `bench/results`. Times in seconds, everything else in bytes. */
export interface Results {
  readonly startedAt: string;
  readonly commit: string;
  /** True if sources differed from the commit. */
  readonly changed: boolean;
  readonly scale: number;
  readonly rounds: number;
  readonly machine: Machine;
  /** The version line of each program. */
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
  /** In the order of the rounds, without the warm-up round. */
  readonly samples: readonly Sample[];
}

export interface Sample extends Measured {
  /** Total file size of the repository afterwards. */
  readonly storedBytes: number;
  /** Rate over the link in the direction of the data while data was transferred, in bytes per second. */
  readonly linkBusyRate?: number;
}

/** Writes the file and returns its path, named by day and time, since a day may have several runs. */
export function writeResults(folder: string, results: Results): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${results.startedAt.slice(0, 16).replace(':', '')}.json`);
  writeFileSync(path, `${JSON.stringify(results, undefined, 2)}\n`);
  return path;
}

/** Reads all results of a folder, the oldest first. */
export function readResults(folder: string): readonly Results[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => readResultsFile(join(folder, name)));
}

export function readResultsFile(path: string): Results {
  return JSON.parse(readFileSync(path, 'utf8')) as Results;
}
