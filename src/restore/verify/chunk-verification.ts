import type { ErrorCode } from '../../base/errors/errors.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import type { BlobArena } from '../../remote/blobs/blob-arena.ts';
import type { BlobSource } from '../../remote/ports.ts';
import { BATCH_BYTES, ArenaPool } from '../../read/chunks/arena-pool.ts';
import { chunkAttempts, retryDelay } from '../../read/chunks/fetch-chunks.ts';
import { packChunks, type FetchedChunk } from '../../read/chunks/packed-chunks.ts';
import {
  collectReferenced,
  hashesBySession,
  wantedChunks,
  type ChunkMark,
  type WantedChunk,
} from '../../read/chunks/wanted-chunks.ts';
import type { PlanStore } from '../record/plan-store.ts';
import type { Plan } from '../plan/plan.ts';
import type { PlannedWork } from '../record/planned-entry.ts';
import type { ProgressMeter } from '../progress-meter.ts';
import type { RestoreDependencies } from '../types.ts';
import type { CheckedChunk } from './check-chunks.ts';
import Database from 'better-sqlite3';
import { digestOf } from '../../format/chunks/digest.ts';

export interface VerificationInput {
  readonly plan: Plan;
  readonly deps: Pick<RestoreDependencies, 'downloader' | 'pool' | 'keys' | 'clock'>;
  readonly meter: ProgressMeter;
  readonly samplePercent: number;
  /** What was checked before this restore point, if there was anything. */
  readonly checked?: CheckedDigests | undefined;
  /** True if files are left out that were checked as part of another restore point. */
  readonly isLater?: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Chunks that workers have opened. */
interface OpenedChunks {
  /** In the order of the chunks. */
  readonly results: readonly CheckedChunk[];
  /** By hash, if there are several destinations. */
  readonly sources: ReadonlyMap<string, BlobSource>;
}

export interface CheckedChunks {
  /** Files whose every chunk was checked. */
  readonly files: number;
  readonly chunks: number;
  /** Bytes of their plaintexts. */
  readonly bytes: number;
  /** `sha256:…` to what is wrong. */
  readonly damaged: ReadonlyMap<string, ErrorCode>;
}

/** A file whose chunks are being checked. */
interface FileCheck {
  readonly work: PlannedWork;
  /** Chunks without a result, and one while more are being added. */
  pending: number;
  bytes: number;
  /** True if every chunk so far was sampled and is intact. */
  isIntact: boolean;
}

interface ChunkCheck {
  readonly chunk: WantedChunk;
  /** One for each reference: a file may contain a chunk twice. */
  readonly files: FileCheck[];
}

const BATCH_CHUNKS = 512;
const MAX_BATCHES = 16;

/** Checks each chunk of a plan once, with a bounded number of batches in flight. */
export class ChunkVerification {
  readonly #input: VerificationInput;
  readonly #damaged = new Map<string, ErrorCode>();
  /** The result of each repeated chunk, or the check that is pending. */
  readonly #known = new Map<string, CheckedChunk | 'not-sampled' | ChunkCheck>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #arenas: ArenaPool;
  #repeated: ReadonlySet<ChunkMark> = new Set();
  #batch: ChunkCheck[] = [];
  #batchBytes = 0;
  #files = 0;
  #chunks = 0;
  #bytes = 0;
  #error: unknown;

  constructor(input: VerificationInput) {
    this.#input = input;
    this.#arenas = new ArenaPool(Math.min(MAX_BATCHES, Math.max(2, input.deps.downloader.concurrency) + 1));
  }

  async run(store: PlanStore): Promise<CheckedChunks> {
    const { signal, samplePercent, deps } = this.#input;
    const referenced = await collectReferenced(store.chunkListsToWrite());
    this.#repeated = referenced.repeated;
    if (samplePercent >= 100) deps.downloader.expect?.((digest) => referenced.has(digest));
    for (const work of store.workInOrder()) {
      if (work.type !== 'file') continue;
      if (this.#error !== undefined || signal?.aborted) break;
      await this.#addFile(work);
    }
    await this.#startBatch();
    await Promise.all(this.#inFlight);
    throwIfInterrupted(signal);
    if (this.#error !== undefined) throw this.#error as Error;
    return { files: this.#files, chunks: this.#chunks, bytes: this.#bytes, damaged: this.#damaged };
  }

  async #addFile(work: PlannedWork): Promise<void> {
    const { sessions } = this.#input.plan;
    const chunks = wantedChunks(work, sessions);
    if (this.#isCheckedBefore(chunks)) return;
    const file: FileCheck = { work, pending: 1, bytes: 0, isIntact: true };
    for (const chunk of chunks) {
      file.pending += 1;
      this.#addChunk(chunk, file, work.size / chunks.length);
      if (this.#batchBytes >= BATCH_BYTES || this.#batch.length >= BATCH_CHUNKS) await this.#startBatch();
    }
    this.#addResult(file, 0);
  }

  #isCheckedBefore(chunks: readonly WantedChunk[]): boolean {
    const { checked, isLater = false } = this.#input;
    return isLater && checked !== undefined && chunks.every(({ hash }) => checked.has(hash));
  }

  #addChunk(chunk: WantedChunk, file: FileCheck, bytes: number): void {
    const isRepeated = this.#repeated.has(chunk.mark);
    const known = isRepeated ? this.#known.get(chunk.hash) : undefined;
    if (this.#input.checked?.has(chunk.hash) === true && known === undefined) {
      // It was part of another restore point, whose check has named it if it is damaged.
      this.#addResult(file, chunk.size ?? 'not-sampled');
    } else if (typeof known === 'object') {
      known.files.push(file);
    } else if (known !== undefined) {
      this.#addResult(file, known);
    } else if (Math.random() * 100 >= this.#input.samplePercent) {
      if (isRepeated) this.#known.set(chunk.hash, 'not-sampled');
      this.#addResult(file, 'not-sampled');
    } else {
      const check = { chunk, files: [file] };
      if (isRepeated) this.#known.set(chunk.hash, check);
      this.#batch.push(check);
      this.#batchBytes += bytes;
    }
  }

  #addResult(file: FileCheck, result: CheckedChunk | 'not-sampled'): void {
    file.pending -= 1;
    if (typeof result === 'number') file.bytes += result;
    else file.isIntact = false;
    if (file.pending > 0) return;
    const { plan, meter } = this.#input;
    const { path, size } = file.work;
    if (file.isIntact) this.#files += 1;
    if (file.isIntact && file.bytes !== size) plan.failures.add(path, 'file_size_mismatch');
    meter.done(1, size, path);
  }

  async #startBatch(): Promise<void> {
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#batchBytes = 0;
    const arena = await this.#arenas.acquire();
    const work = this.#check(batch, arena)
      .catch((error: unknown) => {
        this.#error ??= error;
      })
      .finally(() => this.#arenas.release(arena));
    this.#inFlight.add(work);
    void work.finally(() => this.#inFlight.delete(work));
  }

  async #check(batch: readonly ChunkCheck[], arena: BlobArena): Promise<void> {
    const { deps, signal } = this.#input;
    let left = batch;
    for (let attempts = 1; left.length > 0; attempts += 1) {
      const chunks = left.map((check) => check.chunk);
      const { results, sources } = await this.#fetchAndOpen(chunks, arena);
      const isLast = attempts === chunkAttempts(deps.downloader);
      left = left.filter((check, index) => {
        const result = results[index]!;
        const source = sources.get(check.chunk.hash);
        if (source && typeof result !== 'number') deps.downloader.several?.reject(check.chunk.hash, source);
        if (typeof result !== 'number' && !isLast) return true;
        this.#settle(check, result);
        return false;
      });
      if (left.length > 0) await deps.clock.sleep(retryDelay(attempts), signal);
    }
  }

  async #fetchAndOpen(chunks: readonly WantedChunk[], arena: BlobArena): Promise<OpenedChunks> {
    arena.clear();
    const { deps, signal } = this.#input;
    const fetched = new Map<string, FetchedChunk>();
    const sources = new Map<string, BlobSource>();
    const { several } = deps.downloader;
    const onBlob = (hash: string, bytes: Uint8Array | undefined): void => {
      fetched.set(hash, { input: bytes ?? null, length: undefined, shared: false });
      if (several && bytes) sources.set(hash, several.delivering);
    };
    for (const [session, hashes] of hashesBySession(chunks)) {
      await deps.downloader.download(session, hashes, onBlob, signal, arena);
    }
    const { transfer, ...packed } = packChunks(chunks, fetched);
    const results = await deps.pool.run('checkChunks', { chunkSubKeys: deps.keys.chunk, ...packed }, transfer);
    return { results, sources };
  }

  #settle(check: ChunkCheck, result: CheckedChunk): void {
    const { hash, mark } = check.chunk;
    this.#chunks += 1;
    this.#input.checked?.add(hash);
    if (typeof result === 'number') this.#bytes += result;
    else this.#damaged.set(hash, result);
    if (this.#repeated.has(mark)) this.#known.set(hash, result);
    for (const file of check.files) this.#addResult(file, result);
  }
}

/** The chunks that earlier parts of a verification have checked, on disk: those of many restore points do not fit in memory. */
export class CheckedDigests implements Disposable {
  readonly #database: Database.Database;
  readonly #find: Database.Statement<[Buffer]>;
  readonly #insert: Database.Statement<[Buffer]>;

  constructor() {
    // SQLite deletes a database without a name when it is closed, and a killed process leaves nothing either.
    this.#database = new Database('');
    this.#database.pragma('journal_mode = OFF');
    this.#database.pragma('synchronous = OFF');
    this.#database.exec('CREATE TABLE checked (digest BLOB PRIMARY KEY) WITHOUT ROWID');
    this.#database.exec('BEGIN');
    this.#find = this.#database.prepare<[Buffer]>('SELECT 1 FROM checked WHERE digest = ?').pluck();
    this.#insert = this.#database.prepare<[Buffer]>('INSERT OR IGNORE INTO checked VALUES (?)');
  }

  /** @param hash `sha256:…` */
  has(hash: string): boolean {
    return this.#find.get(digestOf(hash)) !== undefined;
  }

  add(hash: string): void {
    this.#insert.run(digestOf(hash));
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
