/**
 * A process with a run's worker thread and an earlier one. It prints the threads' priorities during a run at low priority and
 * afterwards. Arguments: whether the process ends with the run, and a user id to switch to.
 */
import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LinuxThreads } from '../../../../src/os/power/linux-threads.ts';

const [, , endsWithRun, user] = process.argv;
if (user !== undefined) process.setuid?.(Number(user));
const own = await startedThreads();
const control = new LinuxThreads(endsWithRun === 'true');
const run = await startedThreads();
// libuv starts its pool with the first call that needs it.
await stat('/');
control.lower();
const late = await startedThreads();
const low = control.lower();
const during = priorities();
const restored = control.restore();
const after = priorities();
// New threads inherit the process's priority.
const next = await startedThreads();
console.log(
  JSON.stringify({ low, during, restored, after, next: [...new Set(next.map((thread) => getPriority(thread)))] }),
);
process.exit(0);

function priorities(): object {
  const of = (threads: readonly number[]): readonly number[] => [
    ...new Set(threads.map((thread) => getPriority(thread))),
  ];
  return { main: getPriority(process.pid), own: of(own), run: of(run), late: of(late) };
}

/** Starts a worker. Returns the new threads. */
async function startedThreads(): Promise<readonly number[]> {
  const before = new Set(readdirSync('/proc/self/task'));
  await once(new Worker('setInterval(() => {}, 1000)', { eval: true }), 'online');
  return readdirSync('/proc/self/task')
    .filter((thread) => !before.has(thread))
    .map(Number);
}
