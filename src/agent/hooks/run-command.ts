import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { resolve as absolute } from 'node:path';
import type { Writable } from 'node:stream';
import { withInheritedUmask } from '../../base/files/owner-only.ts';
import type { Clock } from '../../base/clock.ts';
import { startGuard } from '../../base/guard-process.ts';
import type { HookCommand } from '../../model/set.ts';
import type { CommandResult } from '../../ipc/contract/hooks.ts';
import { batchLine, isBatchFile, wordForNoBatchFile } from './batch-file.ts';
import { BoundedOutput } from './bounded-output.ts';
import { wordsForLine } from './shell-line.ts';
import { userHome } from '../../base/files/user-home.ts';

export const DEFAULT_TIMEOUT_SECONDS = 600;
/** Between the request to end and the end by force. */
const GRACE_MS = 5_000;
/** How long a program's own children may hold its output after it has ended. */
const OUTPUT_MS = 500;

/**
 * What a command inherits, as a cron job or a login would set it. Everything else stays here: the environment of a program may have
 * secrets, such as the keys of a bucket.
 */
const INHERITED: ReadonlySet<string> = new Set(
  (
    'HOME LANG LANGUAGE LOGNAME PATH SHELL SSH_AUTH_SOCK TMPDIR TZ USER ' +
    'DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY XAUTHORITY ' +
    'APPDATA COMSPEC COMPUTERNAME HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES ' +
    'PROGRAMFILES(X86) SYSTEMDRIVE SYSTEMROOT TEMP TMP USERDOMAIN USERNAME USERPROFILE WINDIR HOLDFAST_HOME'
  ).split(' '),
);
const INHERITED_FAMILIES = /^(?:LC|XDG)_/;

export interface CommandContext {
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
  /** Ends the command when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs a command to its end, with what it started, or to its time-out. Never rejects. */
export async function runCommand(
  { run, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS }: HookCommand,
  facts: Readonly<Record<string, string>>,
  { clock, environment, signal }: CommandContext,
): Promise<CommandResult> {
  const startedAt = clock.now();
  const output = new BoundedOutput();
  const result = (end: CommandResult['end'], exitCode?: number): CommandResult => ({
    startedAt,
    seconds: Math.max(0, clock.now() - startedAt) / 1000,
    end,
    ...(exitCode === undefined ? {} : { exitCode }),
    output: output.text,
  });
  if (signal?.aborted) return result('stopped');
  let child: ChildProcess;
  try {
    child = start(run, { ...inherited(environment), ...facts });
  } catch (error) {
    // Windows refuses some programs at once.
    output.add(Buffer.from(String(error)));
    return result('not-started');
  }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => output.add(bytes));
  const ended = new AbortController();
  let cause: 'timeout' | 'stopped' | undefined;
  const endIt = (why: 'timeout' | 'stopped'): void => {
    if (cause !== undefined || ended.signal.aborted) return;
    cause = why;
    kill(child, 'SIGTERM');
    void clock.sleep(GRACE_MS, ended.signal).then(
      () => kill(child, 'SIGKILL'),
      () => undefined,
    );
  };
  const stop = (): void => endIt('stopped');
  const guard = guardCommand(child);
  release(child);
  // A program that ends at once, as after a second Ctrl-C, leaves no command behind.
  const abandon = (): void => kill(child, 'SIGKILL');
  process.once('exit', abandon);
  signal?.addEventListener('abort', stop, { once: true });
  void clock.sleep(timeoutSeconds * 1000, ended.signal).then(
    () => endIt('timeout'),
    () => undefined,
  );
  const exit = await exitOf(child);
  ended.abort();
  process.off('exit', abandon);
  guard?.kill('SIGKILL');
  signal?.removeEventListener('abort', stop);
  if (exit.error) output.add(Buffer.from(exit.error.message));
  if (exit.error) return result('not-started');
  if (cause !== undefined) {
    // Its children may ignore the request that it obeyed.
    kill(child, 'SIGKILL');
    return result(cause);
  }
  return exit.code === null ? result('killed') : result('exited', exit.code);
}

function start(run: HookCommand['run'], env: NodeJS.ProcessEnv): ChildProcess {
  const options = {
    cwd: workingFolder(),
    env,
    // A group of its own on POSIX, which is ended as a whole.
    detached: process.platform !== 'win32',
    windowsHide: true,
  };
  const outputs = ['ignore', 'pipe', 'pipe'] as const;
  return withInheritedUmask(() => {
    const isLine = typeof run === 'string';
    if (process.platform === 'win32' || !(isLine || canStart(run[0], env))) {
      const stdio = [...outputs];
      if (isLine) return spawn(run, { ...options, stdio, shell: true });
      if (process.platform === 'win32' && isBatchFile(run[0])) return startBatchFile(run, { ...options, stdio });
      return spawn(run[0], run.slice(1), { ...options, stdio });
    }
    const words = isLine ? wordsForLine(run) : run;
    return spawn('/bin/sh', ['-c', HELD, 'sh', ...words], { ...options, stdio: [...outputs, 'pipe'] });
  });
}

/** Where commands run: a job of cron begins there, too. */
function workingFolder(): string {
  return userHome() ?? '/';
}

/** Throws an error if it cannot get its arguments as they are, or does not exist: cmd.exe would only exit with 1. */
function startBatchFile(run: readonly [string, ...string[]], options: SpawnOptions): ChildProcess {
  const [program] = run;
  const word = wordForNoBatchFile(run);
  if (word !== undefined)
    throw new Error(`A batch file cannot get ${JSON.stringify(word)} as it is. Write the command as a line for cmd.`);
  // In a path without a folder, cmd searches.
  if (/[\\/]/.test(program)) statSync(absolute(workingFolder(), program));
  // Without commands of the registry and `!NAME!`; quotes around the line are removed.
  const words = ['/d', '/v:off', '/s', '/c', `"${batchLine(run)}"`];
  return spawn(process.env['COMSPEC'] ?? 'cmd.exe', words, { ...options, windowsVerbatimArguments: true });
}

/** Becomes the command when it reads a line from this process, which has started the guard by then, and ends if it reads none. */
const HELD = 'read -r _ <&3 || exit; exec 3<&-; exec "$@"';

function release({ stdio }: ChildProcess): void {
  const held = stdio[3] as Writable | null | undefined;
  // It may have ended already.
  held?.on('error', () => undefined).end('\n', () => held.destroy());
}

/** Returns whether the system finds a program, and may start it. If not, the error of the system is better than that of a shell. */
function canStart(program: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  const places = program.includes('/')
    ? [absolute(workingFolder(), program)]
    : PATH.split(':').map((folder) => absolute(workingFolder(), folder, program));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return statSync(place).isFile();
    } catch {
      return false;
    }
  });
}

/** Ends a group. */
const END_GROUP = `kill -s TERM -- "-$1" && sleep ${GRACE_MS / 1000} && kill -s KILL -- "-$1"`;

/** Ends the command also if this process is killed. Windows has no group that a guard could end. */
function guardCommand({ pid }: ChildProcess): ChildProcess | undefined {
  if (pid === undefined || process.platform === 'win32') return undefined;
  // Without it the command runs as well.
  return startGuard(END_GROUP, ['sh', String(pid)]).on('error', () => undefined);
}

function inherited(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // Windows has `Path` and `SystemRoot`.
  const known = process.platform === 'win32' ? (name: string) => name.toUpperCase() : (name: string) => name;
  const isInherited = (name: string): boolean => INHERITED.has(known(name)) || INHERITED_FAMILIES.test(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isInherited(name)));
}

interface Exit {
  readonly code: number | null;
  readonly error?: Error;
}

/** Resolves when the program has ended and its output is complete, or held by its children for too long. */
function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, error }));
    child.once('close', (code) => resolve({ code }));
    child.once('exit', (code) => {
      setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ code });
      }, OUTPUT_MS).unref();
    });
  });
}

function kill(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    if (signal === 'SIGKILL' || child.exitCode === null) spawn('taskkill', ['/pid', String(pid), '/t', '/f']).unref();
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
