import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { nativeFileSystem } from './native.ts';
import { windowsFileSystem } from './windows/windows-file-system.ts';

/** Returns whether a whole file system can be synced in one call. Otherwise each file has to be. */
export function canSyncFileSystem(): boolean {
  return nativeFileSystem()?.syncFileSystem !== undefined;
}

/**
 * Syncs the whole file system of a folder, with the writes of all processes; does nothing if that is not supported. Blocks
 * until the disk has finished. Throws a system error, also for an earlier write that could not be synced.
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

/** Syncs a single file if `syncFileSystemSync` is not supported. */
export function syncFileSync(file: number): void {
  if (!canSyncFileSystem()) fsyncSync(file);
}

/** What file systems respond that cannot sync folders, and what a folder of another user may. */
const NO_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EPERM', 'EACCES', 'EISDIR', 'EBADF', 'EROFS']);

/** Syncs a folder, which makes the names in it durable, where that is possible. Windows has no such call and needs none. */
export function syncFolderSync(folder: string | Buffer): void {
  if (process.platform === 'win32') return;
  let handle: number | undefined;
  try {
    handle = openSync(folder, constants.O_RDONLY);
    fsyncSync(handle);
  } catch (error) {
    if (!NO_SYNC.has(systemCodeOf(error) ?? '')) throw error;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/**
 * Reserves disk space for a file of known size, which reduces fragmentation and detects a full disk early. The file's size does
 * not change, so that after a power cut no unwritten part looks written. Does nothing if the file system does not support it.
 * Throws a system error if the space is not available.
 */
export function reserveSync(file: number, bytes: number): void {
  const native = nativeFileSystem();
  if (!native?.reserve || native.reserve(file, bytes) === 0) return;
  const code = native.lastError();
  if (code === 'ENOSPC' || code === 'EDQUOT') throw failure(code, 'fallocate', `file ${file}`);
}

/** Has the file system leave out what is never written to a new file. Only Windows has to be told. */
export function makeSparseSync(path: string | Buffer): void {
  if (typeof path !== 'string') return;
  try {
    windowsFileSystem()?.makeSparse(path);
  } catch (error) {
    // On FAT, holes take space.
    if (systemCodeOf(error) === undefined) throw error;
  }
}

/**
 * Starts writing a part of a file to disk without waiting for it. By default the kernel would delay that for many seconds, and
 * `syncFileSystemSync` would have to write everything. Only a hint: errors appear in that call.
 */
export function startWritebackSync(file: number, offset: number, bytes: number): void {
  nativeFileSystem()?.startWriting?.(file, offset, bytes);
}

function failure(code: string, syscall: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} ${what}`), { code, syscall });
}
