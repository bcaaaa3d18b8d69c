import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The options of one benchmark run. */
export interface Request {
  readonly kind: 'compare' | 'profile';
  /** As typed; empty means all. */
  readonly workloads: readonly string[];
  /** The number of measured rounds, without the warm-up round. */
  readonly rounds: number;
  /** Factor for bytes and numbers of files; the documents contain only results with 1. */
  readonly scale: number;
  /** Some of `holdfast`, `restic` and `borg`; empty means all that are installed. */
  readonly tools: readonly string[];
  /** Keeps the data for a later run with the same scale. */
  readonly keep: boolean;
  /** The folder for data, repositories and restores. */
  readonly directory: string;
  /** The folder for results; `undefined` for a scale other than 1 unless it was given. */
  readonly results: string | undefined;
}

export class WrongUsage extends Error {}

export const USAGE = `npm run bench -- [WORKLOAD…] [options]            compare with restic and Borg
npm run bench -- profile WORKLOAD… [options]      CPU profiles of Holdfast alone; --scale, --keep and --dir only

  --rounds N       measured rounds after one that is thrown away (3)
  --scale F        part of the data, for trying out (1)
  --tools A,B      only these of holdfast, restic, borg
  --keep           leave the data for the next run
  --dir DIR        where everything lies (the system's temporary folder)
  --results DIR    where results go (bench/results; nowhere when the scale is not 1)

Workloads:`;

const TOOLS: ReadonlySet<string> = new Set(['holdfast', 'restic', 'borg']);

const DEFAULT_RESULTS = join(import.meta.dirname, 'results');

/** @throws WrongUsage with the reason */
export function parseRequest(words: readonly string[]): Request {
  const { values, positionals } = parsed(words);
  const kind = positionals[0] === 'profile' ? 'profile' : 'compare';
  const workloads = kind === 'profile' ? positionals.slice(1) : positionals;
  if (kind === 'profile' && workloads.length === 0) throw new WrongUsage('profile needs a workload.');
  const scale = positive('--scale', values.scale ?? '1');
  const rounds = positive('--rounds', values.rounds ?? '3');
  if (!Number.isInteger(rounds)) throw new WrongUsage('--rounds is a whole number.');
  if (kind === 'profile' && (values.rounds ?? values.tools ?? values.results) !== undefined) {
    throw new WrongUsage('profile takes --scale, --keep and --dir only.');
  }
  const results = values.results ?? (scale === 1 ? DEFAULT_RESULTS : undefined);
  return {
    kind,
    workloads,
    rounds,
    scale,
    tools: values.tools === undefined ? [] : toolsOf(values.tools),
    keep: values.keep ?? false,
    directory: resolve(values.dir ?? tmpdir()),
    results: results === undefined ? undefined : resolve(results),
  };
}

interface Parsed {
  readonly values: {
    readonly rounds?: string;
    readonly scale?: string;
    readonly tools?: string;
    readonly keep?: boolean;
    readonly dir?: string;
    readonly results?: string;
  };
  readonly positionals: readonly string[];
}

function parsed(words: readonly string[]): Parsed {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        rounds: { type: 'string' },
        scale: { type: 'string' },
        tools: { type: 'string' },
        keep: { type: 'boolean' },
        dir: { type: 'string' },
        results: { type: 'string' },
      },
    });
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : String(error));
  }
}

function toolsOf(text: string): readonly string[] {
  const tools = text.split(',');
  const unknown = tools.filter((tool) => !TOOLS.has(tool));
  if (unknown.length === 0) return tools;
  throw new WrongUsage(`--tools names holdfast, restic and borg, not "${unknown.join(',')}".`);
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new WrongUsage(`${option} is a number above 0, not "${text}".`);
}
