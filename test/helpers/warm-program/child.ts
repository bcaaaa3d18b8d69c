/**
 * A process that runs the program's bundle for one command after the other. It ends for real where a command crashed, emptied the event
 * loop or left something behind. Its arguments: the bundle's main module.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { getPriority } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { countOf, exceeding, withMore } from './counts.ts';
import { KeptThreads } from './kept-threads.ts';
import type { Answer, Command } from './messages.ts';

const require = createRequire(import.meta.url);
const [main = ''] = process.argv.slice(2);
const exit = process.exit.bind(process);
const workingFolder = process.cwd;
const umask = process.umask(0o022);
process.umask(umask);
/** Turns of the event loop in which what a command has closed may end. */
const TURNS = 50;

// Starts the threads that Node's file operations use.
await Promise.all(Array.from({ length: 4 }, () => stat(main)));
const kept = new KeptThreads();
kept.install();
const listeners = new Set([process.stdout, process.stderr].flatMap((stream) => stream.listeners('error')));

process.on('disconnect', () => exit(0));
process.on('message', (command: Command) => {
  const ended = kept.begin(command.environment);
  // In a turn of its own, in which what it throws ends the process.
  if (ended) void ended.then(() => setImmediate(run, command));
  else run(command);
});
const before = state();

function run({ words, environment, folder, mark }: Command): void {
  for (const name of Object.keys(process.env)) if (environment[name] === undefined) delete process.env[name];
  Object.assign(process.env, environment);
  process.argv = [process.execPath, main, ...words];
  process.exitCode = undefined;
  process.umask(umask);
  process.chdir(folder);
  let isEnding = false;
  process.exit = ((code = Number(process.exitCode ?? 0)) => {
    if (!isEnding) void end(Number(code), mark);
    isEnding = true;
  }) as typeof process.exit;
  // An empty event loop ends the process, as it does without this channel.
  process.channel!.unref();
  delete require.cache[main];
  require(main);
}

async function end(exitCode: number, mark: string): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    for (const listener of stream.listeners('error')) {
      if (!listeners.has(listener)) stream.off('error', listener as () => void);
    }
  }
  let left = await whatStays();
  if (left.length > 0 && kept.size > 0) {
    // A thread that holds a file or has another priority would have ended with its command.
    await kept.end();
    left = await whatStays();
  }
  if (left.length > 0) return answer({ exitCode, left }, () => exit(exitCode));
  process.channel!.ref();
  // A test may remove the folder, or unmount it.
  process.chdir('/');
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((resolve) => void stream.write(mark, resolve))),
  );
  answer({ exitCode, left });
}

function answer(message: Answer, then: () => void = () => undefined): void {
  process.send!(message, then);
}

/** Returns what the command has left behind once what it has closed has ended. */
async function whatStays(): Promise<readonly string[]> {
  let left = leftBehind();
  for (let waited = 0; waited < TURNS && left.length > 0; waited += 1) {
    await turn();
    left = leftBehind();
  }
  return left;
}

function leftBehind(): readonly string[] {
  const waiting = { name: `thread with priority ${getPriority()}`, count: kept.size };
  const left = exceeding(state(), withMore(before, waiting));
  return [...left, ...(process.cwd === workingFolder ? [] : ['another process.cwd'])];
}

/** Counts what a process has that a command could leave behind. */
function state(): ReadonlyMap<string, number> {
  return countOf([
    ...process.getActiveResourcesInfo().filter((name) => name !== 'Immediate'),
    ...process
      .eventNames()
      .flatMap((name) => process.listeners(name as 'exit').map(() => `listener of ${String(name)}`)),
    ...openFiles(),
    ...readdirSync('/proc/self/task').map(priorityOf),
  ]);
}

function priorityOf(thread: string): string {
  try {
    return `thread with priority ${getPriority(Number(thread))}`;
  } catch {
    return 'thread that has ended';
  }
}

/** Files, folders and sockets. Node opens others for itself. */
function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      if (target.startsWith('/')) return target.startsWith('/proc/') ? [] : [target];
      return target.startsWith('socket:') ? ['socket'] : [];
    } catch {
      // The folder that was listed.
      return [];
    }
  });
}
