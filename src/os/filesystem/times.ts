import { fstatSync, futimesSync, lutimesSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { NulTerminatedBuffer } from './nul-terminated-buffer.ts';
import { nativeFileSystem } from './native.ts';
import { windowsFileSystem } from './windows/windows-file-system.ts';

const BILLION = 1_000_000_000n;

const path_ = new NulTerminatedBuffer();
const stamps = Buffer.alloc(32);

/**
 * Sets the modification time of a file, folder or link (not of a link's target), with the file system's precision. Node's own
 * functions take seconds as a double, which loses about 200 ns. Throws a system error.
 */
export function setTimesSync(path: string | Buffer, times: { readonly mtimeNs: bigint }): void {
  const windows = windowsFileSystem();
  if (windows && typeof path === 'string') {
    windows.setTimes(path, { modified: times.mtimeNs });
    return;
  }
  const native = nativeFileSystem();
  if (!native) {
    lutimesSync(path, Date.now() / 1000, Number(times.mtimeNs) / 1e9);
    return;
  }
  writeStamps(times.mtimeNs, native.omitTime);
  if (native.setTimes(path_.of(path), stamps) !== 0) throw failure(native.lastError(), 'utimensat', path);
}

/** Joins a time of whole seconds and the nanoseconds beyond. */
export function nanosecondsOf(seconds: number, nanoseconds: number): bigint {
  return BigInt(seconds) * BILLION + BigInt(nanoseconds);
}

/** Units of times in nanoseconds: two seconds of FAT, seconds, 10 ms of exFAT, milliseconds, and microseconds. */
const GRAINS_NS = [2_000_000_000n, 1_000_000_000n, 10_000_000n, 1_000_000n, 1000n];

/** Returns whether a file that was given a time has it, as exactly as its file system stores it. */
export function isTimeAsSet(found: bigint, set: bigint): boolean {
  const difference = found > set ? found - set : set - found;
  // What `lutimesSync` loses is less than a microsecond.
  return difference < 1000n || GRAINS_NS.some((grain) => difference < grain && found % grain === 0n);
}

/** Counterpart for an open file. @param path fallback for systems without `futimens` */
export function setFileTimesSync(file: number, path: string | Buffer, times: { readonly mtimeNs: bigint }): void {
  const native = nativeFileSystem();
  if (!native) {
    if (process.platform === 'win32') keepTimeOnClose(file, times.mtimeNs);
    setTimesSync(path, times);
    return;
  }
  writeStamps(times.mtimeNs, native.omitTime);
  if (native.setFileTimes(file, stamps) !== 0) throw failure(native.lastError(), 'futimens', path);
}

/** Windows sets the time of the last write once more when a handle is closed that has written, unless this handle has set one. */
function keepTimeOnClose(file: number, mtimeNs: bigint): void {
  try {
    futimesSync(file, fstatSync(file).atimeMs / 1000, Number(mtimeNs) / 1e9);
  } catch (error) {
    // A handle that only reads sets none.
    if (systemCodeOf(error) === undefined) throw error;
  }
}

function writeStamps(mtimeNs: bigint, omitTime: bigint): void {
  const nanoseconds = ((mtimeNs % BILLION) + BILLION) % BILLION;
  stamps.writeBigInt64LE(0n, 0);
  stamps.writeBigInt64LE(omitTime, 8);
  stamps.writeBigInt64LE((mtimeNs - nanoseconds) / BILLION, 16);
  stamps.writeBigInt64LE(nanoseconds, 24);
}

function failure(code: string, syscall: string, path: string | Buffer): Error {
  return Object.assign(new Error(`${code}: ${syscall} '${path.toString()}'`), { code, syscall });
}
