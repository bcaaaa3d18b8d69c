import { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { identityOf } from './file-identity.ts';
import { READ_FLAGS } from './read-flags.ts';

/** O_PATH of Linux, which Node does not define: a handle that needs no right to the file. */
const O_PATH = 0x200000;
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/**
 * Opens a file whose mode may deny its owner to read it, without following a link. Such a file is given a mode that permits it, and the
 * caller has to set the final one. Throws a system error.
 *
 * @param identity of the file that is meant, by `identityOf`
 * @returns a descriptor for reading
 */
export function openOwnSync(path: string | Buffer, identity: string): number {
  try {
    return openSame(path, identity);
  } catch (error) {
    if (systemCodeOf(error) !== 'EACCES' || process.platform === 'win32') throw error;
    permitReading(path, identity);
    return openSame(path, identity);
  }
}

function openSame(path: string | Buffer, identity: string): number {
  const file = openSync(path, READ_FLAGS);
  try {
    if (identityOf(fstatSync(file, { bigint: true })) === identity) return file;
    throw Object.assign(new Error(`replaced meanwhile: ${path.toString()}`), { code: 'EBUSY' });
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function permitReading(path: string | Buffer, identity: string): void {
  if (process.platform !== 'linux') {
    const stat = lstatSync(path, { bigint: true });
    if (stat.isFile() && identityOf(stat) === identity) chmodSync(path, 0o600);
    return;
  }
  const handle = openSync(path, O_PATH | NO_FOLLOW);
  try {
    const stat = fstatSync(handle, { bigint: true });
    if (stat.isFile() && identityOf(stat) === identity) chmodSync(`/proc/self/fd/${handle}`, 0o600);
  } finally {
    closeSync(handle);
  }
}
