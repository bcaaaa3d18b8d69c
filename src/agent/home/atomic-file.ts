import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HoldfastError, systemCodeOf } from '../../base/errors.ts';

/**
 * Replaces a file as a whole: after a crash at any moment it holds either all of the old text or all of the new one.
 * Only its owner may read it.
 *
 * @throws HoldfastError `home_unwritable`
 */
export function writeFileAtomicallySync(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.new`;
  try {
    const descriptor = openSync(temporary, 'w', 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
    syncDirectory(dirname(file));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new HoldfastError('home_unwritable', { file, problem: systemCodeOf(error) }, { cause: error });
  }
}

const TEMPORARY = /\.(?<pid>\d+)\.new$/;

/**
 * Removes what processes that were killed had half written to a folder: keys may be in it, and nothing else would ever
 * remove them. A folder that cannot be looked at is left as it is.
 */
export function removeUnfinishedSync(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const pid = TEMPORARY.exec(name)?.groups?.['pid'];
      if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
    }
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}

/** One of another person is, too. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}

/** The rename itself is on the disk only when its directory is. Windows has no such call and needs none. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
