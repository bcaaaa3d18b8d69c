import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { nativeFileSystem } from './native.ts';

/** Whether a whole file system can be brought to disk in one go; where it cannot, each file has to be. */
export function canSyncFileSystem(): boolean {
  return nativeFileSystem()?.syncFileSystem !== undefined;
}

/**
 * Brings everything to disk that was written to the file system of a folder, by anybody; nothing happens where that is not
 * possible. Waits for the disk, so not for a thread that others wait for. Throws a system error, also where something that
 * was written before could not be brought to disk.
 */
export function syncFileSystemSync(folder: string): void {
  const native = nativeFileSystem();
  if (!native?.syncFileSystem) return;
  const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    if (native.syncFileSystem(handle) !== 0) throw failure(native.lastError(), 'syncfs', folder);
  } finally {
    closeSync(handle);
  }
}

/** Brings a file to disk where `syncFileSystemSync` does nothing. */
export function syncFileSync(file: number): void {
  if (!canSyncFileSystem()) fsyncSync(file);
}

/**
 * Reserves room for a file whose size is known, so that it lies in few pieces and a full disk shows at once; its size stays
 * as it is, so that after a power cut nothing looks written that is not. Does nothing where the file system cannot. Throws
 * a system error where there is no room.
 */
export function reserveSync(file: number, bytes: number): void {
  const native = nativeFileSystem();
  if (!native?.reserve || native.reserve(file, bytes) === 0) return;
  const code = native.lastError();
  if (code === 'ENOSPC' || code === 'EDQUOT') throw failure(code, 'fallocate', `file ${file}`);
}

/**
 * Has the disk begin with a part of a file that was just written. Left alone, the kernel waits for many seconds, and all
 * of it is still to be written when `syncFileSystemSync` is called. Only a hint: what goes wrong shows there.
 */
export function startWritebackSync(file: number, offset: number, bytes: number): void {
  nativeFileSystem()?.startWriting?.(file, offset, bytes);
}

function failure(code: string, syscall: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} ${what}`), { code, syscall });
}
