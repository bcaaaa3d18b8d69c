/**
 * System calls that Node does not offer, through the C library. This file hides the differences between C libraries. Windows has
 * functions of its own (`windows/`).
 */
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';

type Argument = Uint8Array | number | null;
type NativeFunction = (...args: Argument[]) => number;

/** Paths and names are NUL-terminated bytes. Calls return the C function's result: -1 for failure. */
export interface NativeFileSystem {
  listXattrs(path: Uint8Array, list: Uint8Array, size: number): number;
  getXattr(path: Uint8Array, name: Uint8Array, value: Uint8Array, size: number): number;
  setXattr(path: Uint8Array, name: Uint8Array, value: Uint8Array, size: number): number;
  removeXattr(path: Uint8Array, name: Uint8Array): number;
  /** `times`: two `struct timespec` of a 64-bit system, access and modification. Does not follow a link. */
  setTimes(path: Uint8Array, times: Uint8Array): number;
  /** Counterpart for an open file. */
  setFileTimes(file: number, times: Uint8Array): number;
  /** Fails with `EEXIST` if the new name exists; missing in older C libraries. */
  readonly renameExclusive?: (from: Uint8Array, to: Uint8Array) => number;
  /** Exchanges two names in one step; Linux only. */
  readonly renameExchange?: (from: Uint8Array, to: Uint8Array) => number;
  /** Calls relative to folder handles; Linux only. */
  readonly inFolder?: NativeFolderCalls;
  /** Syncs the whole file system of an open file; Linux only. */
  readonly syncFileSystem?: (file: number) => number;
  /** Reserves space for the first bytes of a file without changing its size; Linux only. */
  readonly reserve?: (file: number, bytes: number) => number;
  /** Starts writing a part of a file to disk without waiting; Linux only. */
  readonly startWriting?: (file: number, offset: number, bytes: number) => number;
  /** Error code of this thread's last call. */
  lastError(): string;
  /** Value of `tv_nsec` that keeps a time unchanged. */
  readonly omitTime: bigint;
}

export interface NativeFolderCalls {
  open(folder: number, name: Uint8Array, flags: number, mode: number): number;
  /** Closes a file from `open`. Node's own close would warn in worker threads about a file that it has not opened. */
  close(file: number): number;
  /** Like `renameExclusive`, within one folder. */
  renameExclusive(folder: number, from: Uint8Array, to: Uint8Array): number;
}

interface Koffi {
  load(library: string): { func(definition: string): NativeFunction };
  errno(): number;
}

let loaded: NativeFileSystem | undefined;
let tried = false;

/** Returns the C library, loaded on first use; `undefined` if it is unknown. */
export function nativeFileSystem(): NativeFileSystem | undefined {
  if (!tried) {
    tried = true;
    loaded = load();
  }
  return loaded;
}

function load(): NativeFileSystem | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    const koffi = createRequire(import.meta.url)('koffi') as Koffi;
    return process.platform === 'darwin' ? loadDarwin(koffi) : loadLinux(koffi);
  } catch {
    // With an unknown C library everything still works, with coarser times and without extended attributes.
    return undefined;
  }
}

function loadLinux(koffi: Koffi): NativeFileSystem {
  const libc = firstOf(koffi, ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`]);
  const list = libc.func('intptr_t llistxattr(const uint8_t *path, uint8_t *list, size_t size)');
  const get = libc.func('intptr_t lgetxattr(const uint8_t *path, const uint8_t *name, uint8_t *value, size_t size)');
  const set = libc.func(
    'int lsetxattr(const uint8_t *path, const uint8_t *name, const uint8_t *value, size_t size, int flags)',
  );
  const remove = libc.func('int lremovexattr(const uint8_t *path, const uint8_t *name)');
  const times = libc.func('int utimensat(int folder, const uint8_t *path, const uint8_t *times, int flags)');
  const fileTimes = libc.func('int futimens(int file, const uint8_t *times)');
  const open = libc.func('int openat(int folder, const uint8_t *path, int flags, uint32_t mode)');
  const close = libc.func('int close(int file)');
  const sync = optional(libc, 'int syncfs(int file)');
  const allocate = optional(libc, 'int fallocate(int file, int mode, int64_t offset, int64_t length)');
  const syncRange = optional(libc, 'int sync_file_range(int file, int64_t offset, int64_t length, unsigned int flags)');
  const rename = optional(
    libc,
    'int renameat2(int from_folder, const uint8_t *from, int to_folder, const uint8_t *to, unsigned int flags)',
  );
  return {
    listXattrs: list,
    getXattr: get,
    setXattr: (path, name, value, size) => set(path, name, value, size, 0),
    removeXattr: remove,
    setTimes: (path, stamps) => times(-100, path, stamps, 0x100), // AT_FDCWD, AT_SYMLINK_NOFOLLOW
    setFileTimes: fileTimes,
    ...(rename && {
      renameExclusive: (from, to) => rename(-100, from, -100, to, 1), // AT_FDCWD, RENAME_NOREPLACE
      renameExchange: (from, to) => rename(-100, from, -100, to, 2), // AT_FDCWD, RENAME_EXCHANGE
      inFolder: { open, close, renameExclusive: (folder, from, to) => rename(folder, from, folder, to, 1) },
    }),
    ...(sync && { syncFileSystem: sync }),
    ...(allocate && { reserve: (file, bytes) => allocate(file, 1, 0, bytes) }), // FALLOC_FL_KEEP_SIZE
    // SYNC_FILE_RANGE_WRITE
    ...(syncRange && { startWriting: (file, offset, bytes) => syncRange(file, offset, bytes, 2) }),
    lastError: () => errorName(koffi.errno()),
    omitTime: 0x3ffffffen, // UTIME_OMIT
  };
}

function loadDarwin(koffi: Koffi): NativeFileSystem {
  const libc = koffi.load('libSystem.B.dylib');
  const list = libc.func('intptr_t listxattr(const uint8_t *path, uint8_t *list, size_t size, int options)');
  const get = libc.func(
    'intptr_t getxattr(const uint8_t *path, const uint8_t *name, uint8_t *value, size_t size, uint32_t position, int options)',
  );
  const set = libc.func(
    'int setxattr(const uint8_t *path, const uint8_t *name, const uint8_t *value, size_t size, uint32_t position, int options)',
  );
  const remove = libc.func('int removexattr(const uint8_t *path, const uint8_t *name, int options)');
  const times = libc.func('int utimensat(int folder, const uint8_t *path, const uint8_t *times, int flags)');
  const fileTimes = libc.func('int futimens(int file, const uint8_t *times)');
  const rename = libc.func('int renamex_np(const uint8_t *from, const uint8_t *to, unsigned int flags)');
  const noFollow = 1; // XATTR_NOFOLLOW
  return {
    listXattrs: (path, names, size) => list(path, names, size, noFollow),
    getXattr: (path, name, value, size) => get(path, name, value, size, 0, noFollow),
    setXattr: (path, name, value, size) => set(path, name, value, size, 0, noFollow),
    removeXattr: (path, name) => remove(path, name, noFollow),
    setTimes: (path, stamps) => times(-2, path, stamps, 0x20), // AT_FDCWD, AT_SYMLINK_NOFOLLOW
    setFileTimes: fileTimes,
    renameExclusive: (from, to) => rename(from, to, 4), // RENAME_EXCL
    lastError: () => errorName(koffi.errno()),
    omitTime: -2n, // UTIME_OMIT
  };
}

/** Loads a function that some versions of the library lack. */
function optional(library: ReturnType<Koffi['load']>, definition: string): NativeFunction | undefined {
  try {
    return library.func(definition);
  } catch {
    return undefined;
  }
}

function errorName(number: number): string {
  const named = getSystemErrorMap().get(-number)?.[0];
  return named ?? Object.entries(constants.errno).find(([, known]) => known === number)?.[0] ?? `errno ${number}`;
}

function firstOf(koffi: Koffi, libraries: readonly string[]): ReturnType<Koffi['load']> {
  let failure: unknown;
  for (const library of libraries) {
    try {
      return koffi.load(library);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
