import { constants, type BigIntStats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { systemCodeOf } from '../../base/errors/errors.ts';

interface OpenFile {
  readonly opened: Promise<{ readonly handle: FileHandle; readonly bytes: number }>;
  users: number;
  isDropped: boolean;
  /** Settles when the file is closed. */
  readonly closed: PromiseWithResolvers<void>;
}

/** Files that stay open at once. */
const LIMIT = 16;

/** Keeps the files that were read last open, since the ranges of a pack are read one after the other. */
export class OpenFiles {
  /** By path; the one used last is the last. */
  readonly #files = new Map<string, OpenFile>();
  /** Files that are no longer kept, while somebody reads them or they are being closed. */
  readonly #leaving = new Set<OpenFile>();

  /**
   * Reads a part of a file. What begins at its first byte is read from the file that has the name now: one that stayed open may have been
   * removed since.
   *
   * @throws the system error
   */
  async read(path: string, offset: number, length: number): Promise<Buffer> {
    if (offset === 0) this.#drop(path);
    const file = this.#files.get(path) ?? newFile(path);
    this.#files.delete(path);
    this.#files.set(path, file);
    file.users += 1;
    if (this.#files.size > LIMIT) this.#drop(this.#files.keys().next().value!);
    try {
      const { handle, bytes } = await file.opened;
      return await readRange(handle, offset, Math.max(0, Math.min(length, bytes - offset)));
    } catch (error) {
      if (this.#files.get(path) === file) this.#drop(path);
      throw error;
    } finally {
      file.users -= 1;
      this.#closeUnused(file);
      if (file.isDropped && file.users === 0) await file.closed.promise;
    }
  }

  /** Closes a file after its last reader. */
  async close(path: string): Promise<void> {
    const file = this.#files.get(path);
    if (!file) return;
    this.#drop(path);
    await file.closed.promise;
  }

  /** Closes every file after its last reader. */
  async closeAll(): Promise<void> {
    for (const path of this.#files.keys()) this.#drop(path);
    await Promise.all(Array.from(this.#leaving, ({ closed }) => closed.promise));
  }

  #drop(path: string): void {
    const file = this.#files.get(path);
    this.#files.delete(path);
    if (!file) return;
    file.isDropped = true;
    this.#leaving.add(file);
    this.#closeUnused(file);
  }

  #closeUnused(file: OpenFile): void {
    if (!file.isDropped || file.users > 0) return;
    const { opened, closed } = file;
    opened
      .then(({ handle }) => handle.close())
      // A file that could not be opened needs no closing, and its reader was given the error.
      .catch(() => undefined)
      .finally(() => {
        this.#leaving.delete(file);
        closed.resolve();
      });
  }
}

/** Something other than a file has the name, such as a folder or a pipe: to the store there is no such file. */
export class NoFileError extends Error {
  override readonly name = 'NoFileError';
  readonly code = 'ENOENT';

  constructor(path: string) {
    super(`${path} is no file`);
  }
}

function newFile(path: string): OpenFile {
  return { opened: openForReading(path), users: 0, isDropped: false, closed: Promise.withResolvers() };
}

async function openForReading(path: string): Promise<{ readonly handle: FileHandle; readonly bytes: number }> {
  // A pipe in the place of a file must not block.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(async (error: unknown) => {
    // A socket cannot be opened. A disk that fails may have the same code.
    if (systemCodeOf(error) === 'ENXIO' && !(await stat(path)).isFile()) throw new NoFileError(path);
    throw error;
  });
  try {
    const found: BigIntStats = await handle.stat({ bigint: true });
    if (!found.isFile()) throw new NoFileError(path);
    return { handle, bytes: Number(found.size) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readRange(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await handle.read(buffer, read, length - read, offset + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}
