import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAppCurrent } from '../../scripts/build/app.ts';
import { isBundleCurrent } from '../../scripts/build/is-bundle-current.ts';

const root = dirname(dirname(import.meta.dirname));
const lock = join(root, 'dist/build.lock');

/**
 * Builds the app if its sources have changed. If several test files need it at once, one of them builds.
 *
 * @returns the folder to start Electron with
 */
export async function builtApp(): Promise<string> {
  while (!isBuilt()) {
    if (!takeLock()) {
      await pause(200);
      continue;
    }
    try {
      if (!isBuilt()) build();
      // Sources that change during the build are built by the next run.
      break;
    } finally {
      rmSync(lock, { recursive: true });
    }
  }
  return root;
}

function isBuilt(): boolean {
  return isAppCurrent(join(root, 'dist/app')) && isBundleCurrent();
}

function build(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/build.ts')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the app cannot be built: ${stderr}`);
}

/** Returns whether the lock is ours. Removes the lock of a process that has ended. */
function takeLock(): boolean {
  mkdirSync(dirname(lock), { recursive: true });
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, 'pid'), String(process.pid));
    return true;
  } catch {
    if (hasOwnerEnded()) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function hasOwnerEnded(): boolean {
  try {
    process.kill(Number(readFileSync(join(lock, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
