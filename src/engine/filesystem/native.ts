/**
 * The system calls that Node has no function for, by their C functions. Everything that differs between the C libraries
 * is in this file; what it gives is the same everywhere. Where there is none (Windows), callers have their own fallback.
 */
import { createRequire } from 'node:module';
import { getSystemErrorMap } from 'node:util';

type Argument = Uint8Array | number | null;
type NativeFunction = (...args: Argument[]) => number;

/** Paths and names are NUL-terminated bytes. Each call answers what the C function answers: -1 for failure. */
export interface NativeFileSystem {
  listXattrs(path: Uint8Array, list: Uint8Array, size: number): number;
  getXattr(path: Uint8Array, name: Uint8Array, value: Uint8Array, size: number): number;
  setXattr(path: Uint8Array, name: Uint8Array, value: Uint8Array, size: number): number;
  /** `times`: two `struct timespec` of a 64-bit system, access and modification. Does not follow a link. */
  setTimes(path: Uint8Array, times: Uint8Array): number;
  /** The same for an open file. */
  setFileTimes(file: number, times: Uint8Array): number;
  /** Renames, unless something has the new name (`EEXIST`); absent from older C libraries. */
  readonly renameExclusive?: (from: Uint8Array, to: Uint8Array) => number;
  /** By handles of folders, which need no look-up of a path; Linux only. */
  readonly inFolder?: NativeFolderCalls;
  /** Everything written to the file system of an open file, by anybody, is on disk when it answers; Linux only. */
  readonly syncFileSystem?: (file: number) => number;
  /** Reserves room for the first bytes of a file, whose size stays as it is; Linux only. */
  readonly reserve?: (file: number, bytes: number) => number;
  /** Has the disk begin to write a part of a file, and does not wait for it; Linux only. */
  readonly startWriting?: (file: number, offset: number, bytes: number) => number;
  /** The name of the error of the call just made, in this thread. */
  lastError(): string;
  /** What in `tv_nsec` leaves a time as it is. */
  readonly omitTime: bigint;
}

export interface NativeFolderCalls {
  open(folder: number, name: Uint8Array, flags: number, mode: number): number;
  /** What `open` opened: Node warns of every file that a worker thread closes and has not opened by Node. */
  close(file: number): number;
  /** As `renameExclusive`, inside one folder. */
  renameExclusive(folder: number, from: Uint8Array, to: Uint8Array): number;
}

interface Koffi {
  load(library: string): { func(definition: string): NativeFunction };
  errno(): number;
}

let loaded: NativeFileSystem | undefined;
let tried = false;

/** The C library of this system, or nothing where it is not one that we know. Loaded when first asked for. */
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
    // A C library that is neither of those below: everything still works, with coarser times and without attributes.
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
    setTimes: (path, stamps) => times(-100, path, stamps, 0x100), // AT_FDCWD, AT_SYMLINK_NOFOLLOW
    setFileTimes: fileTimes,
    ...(rename && {
      renameExclusive: (from, to) => rename(-100, from, -100, to, 1), // AT_FDCWD, RENAME_NOREPLACE
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
  const times = libc.func('int utimensat(int folder, const uint8_t *path, const uint8_t *times, int flags)');
  const fileTimes = libc.func('int futimens(int file, const uint8_t *times)');
  const rename = libc.func('int renamex_np(const uint8_t *from, const uint8_t *to, unsigned int flags)');
  const noFollow = 1; // XATTR_NOFOLLOW
  return {
    listXattrs: (path, names, size) => list(path, names, size, noFollow),
    getXattr: (path, name, value, size) => get(path, name, value, size, 0, noFollow),
    setXattr: (path, name, value, size) => set(path, name, value, size, 0, noFollow),
    setTimes: (path, stamps) => times(-2, path, stamps, 0x20), // AT_FDCWD, AT_SYMLINK_NOFOLLOW
    setFileTimes: fileTimes,
    renameExclusive: (from, to) => rename(from, to, 4), // RENAME_EXCL
    lastError: () => errorName(koffi.errno()),
    omitTime: -2n, // UTIME_OMIT
  };
}

/** A function that not every version of the library has. */
function optional(library: ReturnType<Koffi['load']>, definition: string): NativeFunction | undefined {
  try {
    return library.func(definition);
  } catch {
    return undefined;
  }
}

function errorName(number: number): string {
  return getSystemErrorMap().get(-number)?.[0] ?? `errno ${number}`;
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
