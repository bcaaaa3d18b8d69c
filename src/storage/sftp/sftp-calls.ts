import type { FileEntryWithStats, OpenMode, SFTPWrapper, Stats } from 'ssh2';
import type { Space } from '../storage.ts';
import type { SftpConnection } from './sftp-connection.ts';
import { ConnectionLostError, isMissing, STATUS, SftpStatusError } from './sftp-error.ts';
import { KIB } from '../../model/units.ts';

type Callback<Result> = (error: Error | null | undefined, result: Result) => void;
/** Callback of a call without a result. */
type Done = (error?: Error | null) => void;

const OWNER_ONLY = 0o600;

/** Bytes of one request. The client divides what the server does not accept. */
const PIECE = 256 * KIB;
/** Requests of one file under way at once, which make up for the round trips. */
const PARALLEL_PIECES = 16;

/** What a server says of a file system, as `statvfs` of POSIX. */
interface FileSystem {
  readonly f_bavail: number;
  readonly f_blocks: number;
  readonly f_frsize: number;
  readonly f_files: number;
  readonly f_favail: number;
}

/** Calls of one connection, as promises. They throw SftpStatusError or ConnectionLostError. */
export class SftpCalls {
  readonly #connection: SftpConnection;
  #isLost = false;
  #syncs = true;

  constructor(connection: SftpConnection) {
    this.#connection = connection;
    connection.lost.catch(() => {
      this.#isLost = true;
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** False once the server was found to be unable to sync a file. */
  get syncs(): boolean {
    return this.#syncs;
  }

  end(): void {
    this.#connection.end();
  }

  /** Returns `undefined` if there is no such file. */
  async stat(path: string): Promise<Stats | undefined> {
    return orMissing(this.#call<Stats>((sftp, done) => sftp.stat(path, done)));
  }

  /** Like `stat`, of a link itself. */
  async lstat(path: string): Promise<Stats | undefined> {
    return orMissing(this.#call<Stats>((sftp, done) => sftp.lstat(path, done)));
  }

  /** Returns `undefined` if there is no such folder. */
  async readdir(path: string): Promise<readonly FileEntryWithStats[] | undefined> {
    return orMissing(this.#call<FileEntryWithStats[]>((sftp, done) => sftp.readdir(path, done)));
  }

  mkdir(path: string, mode: number): Promise<void> {
    return this.#do((sftp, done) => sftp.mkdir(path, { mode }, done));
  }

  unlink(path: string): Promise<void> {
    return this.#do((sftp, done) => sftp.unlink(path, done));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#do((sftp, done) => sftp.rename(from, to, done));
  }

  /** Creates a second name, which fails if it exists. @throws SftpStatusError `UNSUPPORTED` also if the server lacks the call */
  link(from: string, to: string): Promise<void> {
    return this.#do((sftp, done) => sftp.ext_openssh_hardlink(from, to, done));
  }

  /** Returns the space of a folder; `undefined` if the server does not say. */
  async space(path: string): Promise<Space | undefined> {
    try {
      const found = await this.#call<FileSystem>((sftp, done) => sftp.ext_openssh_statvfs(path, done));
      // Some file systems do not count files.
      const hasFiles = found.f_files === 0 || found.f_favail > 0;
      return { total: found.f_blocks * found.f_frsize, free: hasFiles ? found.f_bavail * found.f_frsize : 0 };
    } catch (error) {
      if (error instanceof SftpStatusError) return undefined;
      throw error;
    }
  }

  /** Reads a file or a part of it; returns `undefined` if it does not exist. */
  async read(path: string, offset: number, length: number, signal?: AbortSignal): Promise<Buffer | undefined> {
    return orMissing(
      this.#withFile(path, 'r', async (handle) => {
        const { size } = await this.#call<Stats>((sftp, done) => sftp.fstat(handle, done));
        const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, size - offset)));
        let end = bytes.length;
        await inPieces(bytes.length, async (from, to) => {
          signal?.throwIfAborted();
          while (from < to) {
            const read = await this.#readSome(handle, bytes, from, to - from, offset + from);
            // Another process truncates a file that never changes: what is left is returned.
            if (read === 0) end = Math.min(end, from);
            if (read === 0) return;
            from += read;
          }
        });
        return bytes.subarray(0, end);
      }),
    );
  }

  /** Creates a file and syncs it if the server can. */
  async write(path: string, bytes: Buffer, signal?: AbortSignal): Promise<void> {
    await this.#withFile(path, 'wx', async (handle) => {
      await inPieces(bytes.length, async (from, to) => {
        signal?.throwIfAborted();
        await this.#do((sftp, done) => sftp.write(handle, bytes, from, to - from, from, done));
      });
      await this.#sync(handle);
    });
  }

  /** Syncs a file with its name, as far as the server can. */
  async sync(path: string): Promise<void> {
    try {
      await this.#withFile(path, 'r', (handle) => this.#sync(handle));
    } catch (error) {
      if (!(error instanceof SftpStatusError)) throw error;
    }
  }

  async #sync(handle: Buffer): Promise<void> {
    try {
      await this.#do((sftp, done) => sftp.ext_openssh_fsync(handle, done));
    } catch (error) {
      if (!(error instanceof SftpStatusError && error.status === STATUS.UNSUPPORTED)) throw error;
      this.#syncs = false;
    }
  }

  async #readSome(handle: Buffer, into: Buffer, at: number, length: number, position: number): Promise<number> {
    try {
      return await this.#call<number>((sftp, done) => sftp.read(handle, into, at, length, position, done));
    } catch (error) {
      if (error instanceof SftpStatusError && error.status === STATUS.END) return 0;
      throw error;
    }
  }

  async #withFile<Result>(path: string, mode: OpenMode, work: (handle: Buffer) => Promise<Result>): Promise<Result> {
    const handle = await this.#call<Buffer>((sftp, done) => sftp.open(path, mode, { mode: OWNER_ONLY }, done));
    let result: Result;
    try {
      result = await work(handle);
    } catch (error) {
      await this.#close(handle).catch(() => undefined);
      throw error;
    }
    await this.#close(handle);
    return result;
  }

  #close(handle: Buffer): Promise<void> {
    return this.#do((sftp, done) => sftp.close(handle, done));
  }

  #do(start: (sftp: SFTPWrapper, done: Done) => void): Promise<void> {
    return this.#call((sftp, done) => start(sftp, (error) => done(error, undefined)));
  }

  #call<Result>(start: (sftp: SFTPWrapper, done: Callback<Result>) => void): Promise<Result> {
    const called = new Promise<Result>((resolve, reject) => {
      if (this.#isLost) {
        reject(new ConnectionLostError('the connection was closed'));
        return;
      }
      try {
        start(this.#connection.sftp, (error, result) => (error ? reject(failureOf(error)) : resolve(result)));
      } catch (error) {
        // An extension that the server does not have.
        reject(new SftpStatusError(STATUS.UNSUPPORTED, error));
      }
    });
    return Promise.race([called, this.#connection.lost]);
  }
}

async function inPieces(bytes: number, work: (from: number, to: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < bytes) {
      const from = next;
      next += PIECE;
      try {
        await work(from, Math.min(bytes, from + PIECE));
      } catch (error) {
        next = bytes;
        throw error;
      }
    }
  };
  // All of them end before the file is closed, also after a failure.
  const outcomes = await Promise.allSettled(Array.from({ length: PARALLEL_PIECES }, worker));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

function failureOf(error: Error): Error {
  const status = 'code' in error ? error.code : undefined;
  // Without a response the client's error has no status.
  if (typeof status !== 'number' || status === STATUS.CONNECTION_LOST || status === STATUS.NO_CONNECTION) {
    return new ConnectionLostError(typeof status === 'number' ? `status ${status}` : error.message);
  }
  return new SftpStatusError(status, error);
}

async function orMissing<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
