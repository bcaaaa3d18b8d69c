import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^holdfast-campaign-(\d+)$/;
const MOUNTS = '/proc/self/mounts';

/** The name of the folder of a campaign that runs in this process. */
export function campaignFolderName(): string {
  return `holdfast-campaign-${process.pid}`;
}

/** Removes the folders, and what is mounted in them, of campaigns whose processes were killed. Returns their paths. */
export function removeLeftOver(parent: string): readonly string[] {
  const left = readdirSync(parent).filter((name) => {
    const pid = NAME.exec(name)?.[1];
    return pid !== undefined && !isRunning(Number(pid));
  });
  for (const name of left) {
    const folder = join(parent, name);
    // The innermost first.
    for (const mount of mountsBelow(folder).toReversed()) spawnSync('umount', ['-l', mount], { stdio: 'ignore' });
    if (mountsBelow(folder).length === 0) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  return left.map((name) => join(parent, name));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function mountsBelow(folder: string): readonly string[] {
  if (!existsSync(MOUNTS)) return [];
  return readFileSync(MOUNTS, 'utf8')
    .split('\n')
    .map((line) => (line.split(' ')[1] ?? '').replaceAll('\\040', ' '))
    .filter((path) => path.startsWith(`${folder}/`));
}
