import { FILE, type CatalogEntries, type SetRun } from '../catalog/entries.ts';
import { STAT_RECORD_BYTES } from '../filesystem/stat-record.ts';
import {
  CHANGED,
  FAILED,
  UNFINISHED,
  UNSTABLE,
  type ChunkFilesInput,
  type ChunkFilesOutput,
} from '../chunk/chunk-files.ts';
import { CHUNK_RECORD_BYTES, plaintextBytes } from '../chunk/chunk-list.ts';
import { throwIfInterrupted } from '../job/interruption.ts';
import type { FoundFile } from '../scan/scanner.ts';
import { reasonOfCode } from '../scan/unreadable.ts';
import { InFlight } from '../../base/in-flight.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { SEALED_PART_BYTES, type EarlyUpload } from './early-upload.ts';
import type { RunWarning } from '../job/run-warning.ts';

/** Bytes of files that one task reads: long enough to be worth a message, short enough to stop soon. */
const TASK_BYTES = 4 * 1024 * 1024;
const TASK_FILES = 256;
/** Bytes after which a large file's task reports, so that progress moves and an interruption is heeded. */
const PART_BYTES = 64 * 1024 * 1024;
const TRIES_WHOLE_FILE = 3;

/** One file's content as it was read. */
interface ReadFile {
  readonly stat: Buffer;
  readonly chunks: Buffer;
  readonly looksRandom: boolean;
}

export interface ChunkingObserver {
  onRead(path: string, bytes: number): void;
  onWarning(warning: RunWarning): void;
  /** A file is new, or has another content than it had. */
  onChanged?(name: string, looksRandom: boolean): void;
}

/**
 * Has files read and cut by the worker threads, small ones many at a time, and puts what they found into the catalog.
 * A file that cannot be read as one consistent whole keeps its previous version, where there is one, and is named.
 * Where there is an early upload, what is read is sealed and sent at once.
 */
export class ChunkingQueue {
  readonly #entries: CatalogEntries;
  readonly #run: SetRun;
  readonly #committed: number;
  readonly #pool: WorkerPool;
  readonly #observer: ChunkingObserver;
  readonly #signal: AbortSignal | undefined;
  readonly #early: EarlyUpload | undefined;
  readonly #inFlight = new InFlight();
  #batch: FoundFile[] = [];
  #batchBytes = 0;

  constructor(
    entries: CatalogEntries,
    run: SetRun,
    pool: WorkerPool,
    observer: ChunkingObserver,
    signal: AbortSignal | undefined,
    early?: EarlyUpload,
  ) {
    this.#entries = entries;
    this.#run = run;
    this.#committed = entries.committedRun(run.setId);
    this.#pool = pool;
    this.#observer = observer;
    this.#signal = signal;
    this.#early = early;
  }

  /** Takes a file in; waits while the threads have enough to do. */
  async add(file: FoundFile): Promise<void> {
    if (file.size > TASK_BYTES) {
      await this.#inFlight.start(this.#pool.capacity, () => this.#readLarge(file));
      return;
    }
    this.#batch.push(file);
    this.#batchBytes += file.size;
    if (this.#batchBytes >= TASK_BYTES || this.#batch.length >= TASK_FILES) await this.#send();
  }

  /** Waits until every file that was added is read, and sent where it is, or until the interruption is complete. */
  async finish(): Promise<void> {
    try {
      if (this.#batch.length > 0 && !this.#signal?.aborted) await this.#send();
      await this.#inFlight.finish();
    } finally {
      await this.#early?.finish();
      this.#entries.flush();
    }
  }

  async #send(): Promise<void> {
    const files = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    await this.#inFlight.start(this.#pool.capacity, async () => {
      const paths = files.map((file) => file.path);
      const output = await this.#read(files, { paths, offset: 0, limit: Number.MAX_SAFE_INTEGER });
      this.#takeBatch(files, output);
    });
  }

  async #read(files: readonly FoundFile[], input: ChunkFilesInput): Promise<ChunkFilesOutput> {
    const early = this.#early;
    if (!early) return await this.#pool.run('chunkFiles', input);
    const known = files.map((file) => this.#knownChunks(file));
    const memory = await early.takeMemory();
    let output: ChunkFilesOutput;
    try {
      const seal = { chunkSubKey: early.chunkSubKey, memory, known };
      output = await this.#pool.run('chunkFiles', { ...input, seal });
    } catch (error) {
      early.giveBack(memory);
      throw error;
    }
    await early.upload(output, memory, files.at(-1)!.path);
    return output;
  }

  #knownChunks({ isKnown, directory, name }: FoundFile): Uint8Array | undefined {
    const chunks = isKnown ? this.#entries.find(directory!, name)?.chunks : undefined;
    return chunks ? new Uint8Array(chunks) : undefined;
  }

  #takeBatch(files: readonly FoundFile[], output: ChunkFilesOutput): void {
    const failures = new Map(output.failures);
    const stats = Buffer.from(output.stats.buffer, output.stats.byteOffset, output.stats.byteLength);
    const chunks = Buffer.from(output.chunks.buffer, output.chunks.byteOffset, output.chunks.byteLength);
    let chunkStart = 0;
    for (const [index, file] of files.entries()) {
      const chunkEnd = chunkStart + output.counts[index]! * CHUNK_RECORD_BYTES;
      this.#take(file, output.states[index]!, failures.get(index), {
        stat: stats.subarray(index * STAT_RECORD_BYTES, (index + 1) * STAT_RECORD_BYTES),
        chunks: chunks.subarray(chunkStart, chunkEnd),
        looksRandom: output.random[index] === 1,
      });
      chunkStart = chunkEnd;
      this.#observer.onRead(file.path, file.size);
    }
  }

  /** Reads a large file part by part; from its beginning again when it changes in between. */
  async #readLarge(file: FoundFile): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const parts: Buffer[] = [];
      let offset = 0;
      let stat: Uint8Array | undefined;
      let looksRandom = false;
      let output: ChunkFilesOutput;
      do {
        throwIfInterrupted(this.#signal);
        const limit = this.#early ? SEALED_PART_BYTES : PART_BYTES;
        const input = { paths: [file.path], offset, limit, ...(stat ? { stat } : {}) };
        output = await this.#read([file], input);
        ({ stats: stat } = output);
        if (offset === 0) looksRandom = output.random[0] === 1;
        const part = Buffer.from(output.chunks.buffer, output.chunks.byteOffset, output.chunks.byteLength);
        parts.push(part);
        const bytes = plaintextBytes(part);
        offset += bytes;
        if (attempt === 1) this.#observer.onRead(file.path, bytes);
      } while (output.states[0] === UNFINISHED);
      const state = output.states[0]!;
      if (state === CHANGED && attempt < TRIES_WHOLE_FILE) continue;
      const code = output.failures[0]?.[1];
      this.#take(file, state, code, { stat: Buffer.from(output.stats), chunks: Buffer.concat(parts), looksRandom });
      return;
    }
  }

  #take(file: FoundFile, state: number, failure: string | undefined, read: ReadFile): void {
    if (state === FAILED) return this.#takeFailure(file, failure ?? 'EIO');
    const torn = state === UNSTABLE || state === CHANGED;
    if (torn) {
      this.#observer.onWarning({ path: file.path, reason: 'changed-while-reading' });
      const hasPrevious = this.#entries.find(file.directory!, file.name)?.kind === FILE;
      // What was read of a file that never held still is better than nothing, and is named; CHANGED has no whole.
      if (hasPrevious || state === CHANGED) return;
    }
    this.#noteChange(file, read);
    this.#entries.put(
      file.directory!,
      { name: file.name, kind: FILE, stat: read.stat, child: null, detail: file.detail, chunks: read.chunks },
      this.#run,
      this.#committed,
    );
  }

  /** What was only touched, or read again for a check, has not changed. */
  #noteChange(file: FoundFile, { chunks, looksRandom }: ReadFile): void {
    const before = file.isKnown ? this.#entries.find(file.directory!, file.name)?.chunks : undefined;
    if (!before || !chunks.equals(before)) this.#observer.onChanged?.(file.name, looksRandom);
  }

  #takeFailure(file: FoundFile, code: string): void {
    const known = this.#entries.find(file.directory!, file.name);
    // Deleted since the folder was listed: the same as deleted before.
    if (code === 'ENOENT') {
      if (known) this.#entries.remove(file.directory!, file.name, known.child);
      return;
    }
    this.#observer.onWarning({ path: file.path, reason: reasonOfCode(code) });
  }
}
