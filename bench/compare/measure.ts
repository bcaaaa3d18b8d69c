import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { Command } from '../tools/tool.ts';
import { cpuSecondsOf, residentBytes, residentBytesOfChildren } from './process-tree.ts';

/** The cost of a command. */
export interface Cost {
  readonly seconds: number;
  /** User and system time of the whole process tree. */
  readonly cpuSeconds: number;
  /** The highest sum of resident memory over the process tree, seen 50 times a second. */
  readonly peakBytes: number;
}

export interface Measured extends Cost {
  /** The cost of the service in another process during the command. */
  readonly service?: Omit<Cost, 'seconds'>;
}

export class CommandFailed extends Error {}

const SAMPLE_MS = 20;

/** POSIX `times` prints the shell's own two times, then those of the whole tree that it waited for. */
const TIMED = '"$@" 3>&-; status=$?; times >&3; exit $status';

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const { pid } of running) if (pid !== undefined) killGroup(pid);
});

/**
 * Runs a command, with its output in files of `logs`.
 *
 * @param logs an existing folder; `output` and `errors` in it are replaced
 * @param servicePid a service that works for the command
 * @throws CommandFailed unless it ends with 0
 */
export async function measure(command: Command, logs: string, servicePid?: number): Promise<Measured> {
  const serviceBefore = servicePid === undefined ? 0 : cpuSecondsOf(servicePid);
  const output = openSync(join(logs, 'output'), 'w');
  const errors = openSync(join(logs, 'errors'), 'w');
  const started = performance.now();
  const child = spawn('sh', ['-c', TIMED, 'sh', command.program, ...command.args], {
    cwd: command.directory ?? logs,
    env: { ...process.env, ...command.environment },
    stdio: ['ignore', output, errors, 'pipe'],
    // A process group of its own, so that no process outlives an interrupted benchmark.
    detached: true,
  });
  running.add(child);
  let [peakBytes, servicePeakBytes] = [0, 0];
  const sampling = setInterval(() => {
    if (child.pid !== undefined) peakBytes = Math.max(peakBytes, residentBytesOfChildren(child.pid));
    if (servicePid !== undefined) servicePeakBytes = Math.max(servicePeakBytes, residentBytes(servicePid));
  }, SAMPLE_MS);
  const ended = once(child, 'exit').then(([status]: unknown[]) => ({ status, at: performance.now() }));
  const [{ status, at }, times] = await Promise.all([ended, text(child.stdio[3] as Readable)]);
  clearInterval(sampling);
  running.delete(child);
  for (const file of [output, errors]) closeSync(file);
  if (status !== 0) throw new CommandFailed(failureText(command, logs, status));
  const cost: Cost = { seconds: (at - started) / 1000, cpuSeconds: childSeconds(times), peakBytes };
  if (servicePid === undefined) return cost;
  return { ...cost, service: { cpuSeconds: cpuSecondsOf(servicePid) - serviceBefore, peakBytes: servicePeakBytes } };
}

/** Runs a command without measuring it. Returns its output. */
export async function run(command: Command, logs: string): Promise<string> {
  await measure(command, logs);
  return readFileSync(join(logs, 'output'), 'utf8');
}

/** The second line of `times`, as `0m1.230s 0m0.120s`; some shells print a comma. */
export function childSeconds(times: string): number {
  const words = times.trim().split('\n')[1]?.split(' ') ?? [];
  return words.reduce((sum, word) => {
    const [, minutes, seconds] = /^(\d+)m([\d.,]+)s$/.exec(word) ?? [];
    return sum + Number(minutes) * 60 + Number(seconds?.replace(',', '.'));
  }, 0);
}

function failureText({ program, args }: Command, logs: string, status: unknown): string {
  const said = ['errors', 'output'].map((name) => readFileSync(join(logs, name), 'utf8').slice(-2000));
  return `${[program, ...args].join(' ')}\nended with ${String(status)}:\n${said.join('\n').trim()}`;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}
