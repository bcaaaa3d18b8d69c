import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Starts a shell that runs a script when this process ends, also by `kill -9`. Signals that end this process, as by its terminal, do
 * not end it. POSIX only.
 *
 * @param script what runs then, in the root folder
 * @param words `$0` of the script, and what follows
 * @returns the shell, which the caller kills once nothing is left to guard, and which is not waited for
 */
export function startGuard(script: string, words: readonly string[]): ChildProcess {
  // Its input ends with this process.
  const guard = spawn('sh', ['-c', `trap '' HUP INT TERM; read -r _\n${script}`, ...words], {
    // In a session of its own.
    detached: true,
    // It holds no other file system back, however long it waits.
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, LC_ALL: 'C' },
  });
  guard.unref();
  return guard;
}
