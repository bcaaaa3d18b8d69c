import { lstatSync, renameSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { NulTerminatedBuffer } from './nul-terminated-buffer.ts';
import { nativeFileSystem } from './native.ts';
import { windowsFileSystem } from './windows/windows-file-system.ts';

const from_ = new NulTerminatedBuffer();
const to_ = new NulTerminatedBuffer();

/**
 * Renames a file. Throws a system error EEXIST if the new name exists; on file systems that treat two spellings as one name,
 * that cannot be checked in advance.
 */
export function renameExclusiveSync(from: string | Buffer, to: string | Buffer): void {
  if (tryRenameExclusiveSync(from, to)) return;
  if (lstatSync(to, { throwIfNoEntry: false })) throw failure('EEXIST', to);
  renameSync(from, to);
}

/** Renames a file to the name of another one, which is gone then. Throws a system error. */
export function renameOverSync(from: string | Buffer, to: string | Buffer): void {
  const windows = windowsFileSystem();
  // Node's rename leaves files alone that are read-only.
  if (windows && typeof from === 'string' && typeof to === 'string') windows.moveOver(from, to);
  else renameSync(from, to);
}

/**
 * Renames a file in one step. Throws a system error EEXIST if the new name exists. Returns false, having done nothing, if the system
 * or the file system has no such call.
 */
export function tryRenameExclusiveSync(from: string | Buffer, to: string | Buffer): boolean {
  const windows = windowsFileSystem();
  if (windows && typeof from === 'string' && typeof to === 'string') {
    windows.moveExclusive(from, to);
    return true;
  }
  const native = nativeFileSystem();
  if (!native?.renameExclusive) return false;
  if (native.renameExclusive(from_.of(from), to_.of(to)) === 0) return true;
  const code = native.lastError();
  if (UNSUPPORTED.has(code)) return false;
  throw failure(code, to);
}

/**
 * Renames a file to a free name in the folder of a path: that of the path followed by a remark, or the remark alone if that is too
 * long; with a number if it is taken. Throws a system error.
 */
export function renameBesideSync(from: string | Buffer, path: string | Buffer, remark: string): void {
  const whole = Buffer.from(path);
  const folder = whole.subarray(0, whole.lastIndexOf('/') + 1);
  const alone = Buffer.concat([folder, Buffer.from(remark[0]!.toUpperCase() + remark.slice(1))]);
  try {
    renameNumbered(from, Buffer.concat([whole, Buffer.from(` ${remark}`)]));
  } catch (error) {
    if (systemCodeOf(error) !== 'ENAMETOOLONG') throw error;
    renameNumbered(from, alone);
  }
}

function renameNumbered(from: string | Buffer, to: Buffer): void {
  for (let number = 1; ; number += 1) {
    try {
      renameExclusiveSync(from, number === 1 ? to : Buffer.concat([to, Buffer.from(` ${number}`)]));
      return;
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * Exchanges two files in one step. Throws a system error ENOENT if one of them is missing. Returns false, having done nothing, if the
 * system or the file system has no such call.
 */
export function tryExchangeSync(one: string | Buffer, other: string | Buffer): boolean {
  const native = nativeFileSystem();
  if (!native?.renameExchange) return false;
  if (native.renameExchange(from_.of(one), to_.of(other)) === 0) return true;
  const code = native.lastError();
  if (UNSUPPORTED.has(code)) return false;
  throw failure(code, other);
}

const UNSUPPORTED: ReadonlySet<string> = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

function failure(code: string, path: string | Buffer): Error {
  return Object.assign(new Error(`${code}: rename to '${path.toString()}'`), { code, syscall: 'rename' });
}
