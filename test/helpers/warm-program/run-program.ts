import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { programFile } from '../program.ts';
import type { Command } from './messages.ts';
import { canRunWarm, runWarm } from './run-warm.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ON_WINDOWS = process.platform === 'win32';
/** A command of Windows would be a shell script too, whose words a test would have to quote. */
const PROGRAM = ON_WINDOWS ? [process.execPath, programFile('cli')] : [join(ROOT, 'bin/holdfast')];
/** What Windows and Node need there to start a program at all. */
const NEEDED = ['SystemRoot', 'TEMP', 'TMP', 'NODE_SKIP_PLATFORM_CHECK'];
const INHERITED = ['PATH', 'NODE_COMPILE_CACHE', ...(ON_WINDOWS ? NEEDED : [])];

/** The result of running the program. */
export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Returns the environment of a command: of this machine's, the program inherits only PATH and where compiled code is cached. */
export function programEnvironment(home: string, userHome: string): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    HOME: userHome,
    HOLDFAST_HOME: home,
    TZ: 'UTC',
    ...(ON_WINDOWS && { USERPROFILE: userHome }),
  };
}

/**
 * Starts the program as users do, in a process of its own.
 *
 * @param under words of a command that starts another one, such as strace
 */
export function startProgram(
  { words, environment, folder }: Omit<Command, 'mark'>,
  under: readonly string[] = [],
): Running {
  const [program, ...rest] = [...under, ...PROGRAM, ...words] as [string, ...string[]];
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: environment, cwd: folder });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([stdout, stderr, [status, signal]]): Ended => ({ status, signal, stdout, stderr }),
  );
  return { child, ended };
}

/** Runs a command, in a process that has loaded the program before if it behaves as a new one does. */
export function runProgram(command: Omit<Command, 'mark'>): Promise<Ended> {
  return canRunWarm(command.environment) ? runWarm(command) : startProgram(command).ended;
}

export function describeEnd({ status, signal, stdout, stderr }: Ended): string {
  return `ended with ${status ?? signal}\n${stdout}${stderr}`;
}
