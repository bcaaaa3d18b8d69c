import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Starts restore-child.ts. */
export function startRestore(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const script = join(import.meta.dirname, 'restore-child.ts');
  return spawn(process.execPath, [script, ...args], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Waits for the end of a restore and returns the last line of its output. */
export async function reportOf(child: ChildProcess): Promise<Record<string, unknown>> {
  let last = '{}';
  const lines = createInterface({ input: child.stdout! }).on('line', (line) => {
    last = line;
  });
  await Promise.all([once(lines, 'close'), once(child, 'close')]);
  return JSON.parse(last) as Record<string, unknown>;
}

/** Kills a restore after this many downloads. Returns whether it was still running. */
export async function killAtDownload(child: ChildProcess, number: number): Promise<boolean> {
  let seen = 0;
  const lines = createInterface({ input: child.stdout! }).on('line', () => {
    seen += 1;
    if (seen === number) child.kill('SIGKILL');
  });
  const [, [, signal]] = await Promise.all([once(lines, 'close'), once(child, 'close')]);
  return signal === 'SIGKILL';
}
