import { toNamespacedPath } from 'node:path';
import { refuseNul } from '../nul-terminated-buffer.ts';
import { windowsCalls, type WindowsCalls } from './calls.ts';
import { windowsError } from './error-code.ts';
import { READ_ONLY } from './file-attributes.ts';
import { enablePrivileges } from './process-token.ts';
import { ACL_PARTS, OWNER_PARTS } from './security-descriptor.ts';

export interface NamedStream {
  /** Without colons and type. */
  readonly name: string;
  readonly size: number;
}

/**
 * What only Windows keeps about a file or folder. None of the calls follows a link. All of them throw system errors with the codes
 * of `node:fs`.
 */
export interface WindowsFileSystem {
  /** FILE_ATTRIBUTE_…; see `file-attributes.ts`. */
  attributesOf(path: string): number;
  setAttributes(path: string, attributes: number): void;
  /** A self-relative security descriptor with owner, group and access list. */
  securityOf(path: string): Uint8Array;
  /** Sets the parts that the process may set: the owner takes a privilege. Returns false if only the access list was set. */
  setSecurity(path: string, descriptor: Uint8Array): boolean;
  /** REPARSE_DATA_BUFFER of a link, a junction or another reparse point. */
  reparseDataOf(path: string): Uint8Array;
  /** Named streams besides the content. File systems without streams have none. */
  streamsOf(path: string): readonly NamedStream[];
  /** Times in nanoseconds since 1970; `undefined` leaves one as it is. */
  setTimes(
    path: string,
    times: { readonly created?: bigint | undefined; readonly modified?: bigint | undefined },
  ): void;
  /** Has the file system compress a file or what is created in a folder from now on. */
  compress(path: string): void;
  /** Lets parts of a file that are never written take no space. */
  makeSparse(path: string): void;
  /** Throws EEXIST if the new name exists. */
  moveExclusive(from: string, to: string): void;
  /** Replaces a file, also one that is read-only, which stays so under its other names. */
  moveOver(from: string, to: string): void;
}

let opened: WindowsFileSystem | undefined;
let tried = false;

/** Returns the system's; `undefined` if this is not Windows. */
export function windowsFileSystem(): WindowsFileSystem | undefined {
  if (!tried) {
    tried = true;
    const calls = windowsCalls();
    opened = calls && new SystemFileSystem(calls);
  }
  return opened;
}

const INVALID_ATTRIBUTES = 0xffff_ffff;
const NO_HANDLE = -1;
const SHARE_ALL = 7;
const OPEN_EXISTING = 3;
/** FILE_FLAG_BACKUP_SEMANTICS, which opens folders, and FILE_FLAG_OPEN_REPARSE_POINT, which opens links themselves. */
const FLAGS = 0x0200_0000 + 0x0020_0000;
const READ_ATTRIBUTES = 0x80;
const WRITE_ATTRIBUTES = 0x100;
const READ_WRITE_DATA = 3;
/** DELETE and SYNCHRONIZE. */
const DELETE = 0x0011_0000;

const FILE_RENAME_INFORMATION_EX = 65;
/** FILE_RENAME_REPLACE_IF_EXISTS, FILE_RENAME_POSIX_SEMANTICS and FILE_RENAME_IGNORE_READONLY_ATTRIBUTE. */
const RENAME_FLAGS = 0x43;
/** IO_STATUS_BLOCK */
const STATUS_BYTES = 16;
/** What file systems respond that do not have this request: ERROR_INVALID_FUNCTION, _NOT_SUPPORTED, _INVALID_PARAMETER. */
const NO_SUCH_REQUEST: ReadonlySet<number> = new Set([1, 50, 87]);
const MOVEFILE_REPLACE_EXISTING = 1;

const FSCTL_GET_REPARSE_POINT = 0x0009_00a8;
const FSCTL_SET_COMPRESSION = 0x0009_c040;
const FSCTL_SET_SPARSE = 0x0009_00c4;
const COMPRESSION_FORMAT_DEFAULT = Uint8Array.of(1, 0);

/** MAXIMUM_REPARSE_DATA_BUFFER_SIZE */
const REPARSE_BYTES = 16_384;
/** WIN32_FIND_STREAM_DATA: a 64-bit size and 296 UTF-16 units. */
const STREAM_BYTES = 8 + 296 * 2;

const ERROR_HANDLE_EOF = 38;
const ERROR_INSUFFICIENT_BUFFER = 122;
/** What file systems without streams respond. */
const NO_STREAMS: ReadonlySet<number> = new Set([1, 38, 50, 87, 120]);

/** Intervals of 100 ns from 1601 to 1970. */
const EPOCH = 116_444_736_000_000_000n;

class SystemFileSystem implements WindowsFileSystem {
  readonly #calls: WindowsCalls;
  #descriptor = Buffer.alloc(1024);
  readonly #number = Buffer.alloc(8);
  #hasPrivileges = false;

  constructor(calls: WindowsCalls) {
    this.#calls = calls;
  }

  attributesOf(path: string): number {
    const attributes = this.#calls.getFileAttributes(systemPath(path));
    if (attributes === INVALID_ATTRIBUTES) throw this.#failure('GetFileAttributes', path);
    return attributes;
  }

  setAttributes(path: string, attributes: number): void {
    const done = this.#calls.setFileAttributes(systemPath(path), attributes);
    if (done === 0) throw this.#failure('SetFileAttributes', path);
  }

  securityOf(path: string): Uint8Array {
    for (;;) {
      const into = this.#descriptor;
      const parts = OWNER_PARTS + ACL_PARTS;
      const done = this.#calls.getFileSecurity(systemPath(path), parts, into, into.length, this.#number);
      const needed = this.#number.readUInt32LE();
      if (done !== 0) return Uint8Array.from(into.subarray(0, needed));
      const error = this.#calls.getLastError();
      if (error !== ERROR_INSUFFICIENT_BUFFER || needed <= into.length)
        throw windowsError(error, 'GetFileSecurity', path);
      this.#descriptor = Buffer.alloc(needed);
    }
  }

  setSecurity(path: string, descriptor: Uint8Array): boolean {
    if (!this.#hasPrivileges) {
      this.#hasPrivileges = true;
      enablePrivileges(this.#calls);
    }
    const name = systemPath(path);
    if (this.#calls.setFileSecurity(name, OWNER_PARTS + ACL_PARTS, descriptor) !== 0) return true;
    if (this.#calls.setFileSecurity(name, ACL_PARTS, descriptor) === 0) throw this.#failure('SetFileSecurity', path);
    return false;
  }

  reparseDataOf(path: string): Uint8Array {
    const data = Buffer.alloc(REPARSE_BYTES);
    const length = this.#control(path, READ_ATTRIBUTES, { code: FSCTL_GET_REPARSE_POINT, output: data });
    return Uint8Array.from(data.subarray(0, length));
  }

  streamsOf(path: string): readonly NamedStream[] {
    const data = Buffer.alloc(STREAM_BYTES);
    const handle = this.#calls.findFirstStream(systemPath(path), 0, data, 0);
    if (handle === NO_HANDLE) {
      const error = this.#calls.getLastError();
      if (NO_STREAMS.has(error)) return [];
      throw windowsError(error, 'FindFirstStream', path);
    }
    try {
      const streams: NamedStream[] = [];
      do {
        const stream = streamOf(data);
        if (stream) streams.push(stream);
      } while (this.#calls.findNextStream(handle, data) !== 0);
      const error = this.#calls.getLastError();
      if (error !== ERROR_HANDLE_EOF) throw windowsError(error, 'FindNextStream', path);
      return streams;
    } finally {
      this.#calls.findClose(handle);
    }
  }

  setTimes(path: string, { created, modified }: Parameters<WindowsFileSystem['setTimes']>[1]): void {
    this.#opened(path, WRITE_ATTRIBUTES, (handle) => {
      const done = this.#calls.setFileTime(handle, fileTimeOf(created), null, fileTimeOf(modified));
      if (done === 0) throw this.#failure('SetFileTime', path);
    });
  }

  compress(path: string): void {
    this.#control(path, READ_WRITE_DATA, { code: FSCTL_SET_COMPRESSION, input: COMPRESSION_FORMAT_DEFAULT });
  }

  makeSparse(path: string): void {
    this.#control(path, READ_WRITE_DATA, { code: FSCTL_SET_SPARSE });
  }

  moveExclusive(from: string, to: string): void {
    const done = this.#calls.moveFile(systemPath(from), systemPath(to), 0);
    if (done === 0) throw this.#failure('MoveFileEx', to);
  }

  moveOver(from: string, to: string): void {
    const error = this.#opened(from, DELETE, (handle) => {
      const status = Buffer.alloc(STATUS_BYTES);
      const request = renameRequest(systemPath(to));
      const { setInformationFile, errorOfStatus } = this.#calls;
      return errorOfStatus(setInformationFile(handle, status, request, request.length, FILE_RENAME_INFORMATION_EX));
    });
    if (NO_SUCH_REQUEST.has(error)) this.#moveOverPlainly(from, to);
    else if (error !== 0) throw windowsError(error, 'NtSetInformationFile', to);
  }

  /** For file systems that know no more than `MoveFileEx`, which replaces no file that is read-only. */
  #moveOverPlainly(from: string, to: string): void {
    const { moveFile, getFileAttributes, setFileAttributes } = this.#calls;
    const attributes = getFileAttributes(systemPath(to));
    const isReadOnly = attributes !== INVALID_ATTRIBUTES && (attributes & READ_ONLY) !== 0;
    if (isReadOnly) setFileAttributes(systemPath(to), attributes & ~READ_ONLY);
    if (moveFile(systemPath(from), systemPath(to), MOVEFILE_REPLACE_EXISTING) !== 0) return;
    const failure = this.#failure('MoveFileEx', to);
    if (isReadOnly) setFileAttributes(systemPath(to), attributes);
    throw failure;
  }

  /** Returns the number of bytes of the output. */
  #control(
    path: string,
    access: number,
    { code, input, output }: { readonly code: number; readonly input?: Uint8Array; readonly output?: Uint8Array },
  ): number {
    return this.#opened(path, access, (handle) => {
      const [inSize, outSize] = [input?.length ?? 0, output?.length ?? 0];
      const { deviceIoControl } = this.#calls;
      const done = deviceIoControl(handle, code, input ?? null, inSize, output ?? null, outSize, this.#number, null);
      if (done === 0) throw this.#failure('DeviceIoControl', path);
      return this.#number.readUInt32LE();
    });
  }

  #opened<Result>(path: string, access: number, work: (handle: number) => Result): Result {
    const { createFile, closeHandle } = this.#calls;
    const handle = createFile(systemPath(path), access, SHARE_ALL, null, OPEN_EXISTING, FLAGS, 0);
    if (handle === NO_HANDLE) throw this.#failure('CreateFile', path);
    try {
      return work(handle);
    } finally {
      closeHandle(handle);
    }
  }

  #failure(call: string, path: string): Error {
    return windowsError(this.#calls.getLastError(), call, path);
  }
}

/** FILE_RENAME_INFORMATION: flags, no folder, and the path as the kernel writes it, with its length. */
function renameRequest(path: string): Buffer {
  const name = Buffer.from(path.replace(/^\\\\\?\\/, '\\??\\'), 'utf16le');
  const request = Buffer.alloc(20 + name.length);
  request.writeUInt32LE(RENAME_FLAGS, 0);
  request.writeUInt32LE(name.length, 16);
  name.copy(request, 20);
  return request;
}

/** The `\\\\?\\` form of a path, which may have 32,767 characters. Throws ERR_INVALID_ARG_VALUE for one that contains NUL. */
function systemPath(path: string): string {
  refuseNul(path);
  return toNamespacedPath(path);
}

/** A stream is listed as `:name:$DATA`; the content as `::$DATA`. */
function streamOf(data: Buffer): NamedStream | undefined {
  const units = data.subarray(8).toString('utf16le');
  const [, name] = /^:([^:\0]+):\$DATA\0/.exec(units) ?? [];
  return name === undefined ? undefined : { name, size: Number(data.readBigInt64LE(0)) };
}

/** FILETIME: intervals of 100 ns since 1601. */
function fileTimeOf(nanoseconds: bigint | undefined): Buffer | null {
  if (nanoseconds === undefined) return null;
  const time = Buffer.alloc(8);
  const rest = ((nanoseconds % 100n) + 100n) % 100n;
  const intervals = (nanoseconds - rest) / 100n + EPOCH;
  // 0 would leave the time as it is.
  time.writeBigInt64LE(intervals < 1n ? 1n : intervals);
  return time;
}
