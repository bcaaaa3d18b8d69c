import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Running } from '../e2e/workplace.ts';

/** Whether file systems can be mounted here: Linux with /dev/fuse, fusermount3, and the right to. */
export const HAS_FUSE =
  existsSync('/dev/fuse') &&
  spawnSync('fusermount3', ['--version'], { stdio: 'ignore' }).status === 0 &&
  // A container may have both without the right.
  spawnSync('unshare', ['-m', 'true'], { stdio: 'ignore' }).status === 0;

/** Returns whether something is mounted at a folder. */
export function isMounted(folder: string): boolean {
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[1] === folder);
}

/** Waits until `holdfast mount` says that everything can be read. */
export async function untilMounted({ child, ended }: Running): Promise<void> {
  const lines = createInterface({ input: child.stdout! });
  const first = once(lines, 'line') as Promise<[string]>;
  const failed = ended.then(({ status, stderr }) => {
    throw new Error(`holdfast mount ended with ${status}: ${stderr}`);
  });
  failed.catch(() => undefined);
  await Promise.race([first, failed]);
}
