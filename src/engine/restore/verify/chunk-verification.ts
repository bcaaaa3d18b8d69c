import type { ErrorCode } from '../../../base/errors.ts';
import { throwIfInterrupted } from '../../job/interruption.ts';
import type { RestoreProgress, RunOptions } from '../../job/progress.ts';
import type { BlobArena } from '../../transfer/blobs/blob-arena.ts';
import type { CheckedChunk } from './check-chunks.ts';
import type { GotChunk, WantedChunk } from '../chunks/chunk-source.ts';
import { CHUNK_TRIES, pauseBeforeRetry } from '../chunks/open-chunks.ts';
import { packChunks } from '../chunks/packed-chunks.ts';
import type { Plan } from '../plan/plan.ts';
import type { PlannedWork, PlanStore } from '../plan/plan-store.ts';
import { findRepeated, type ChunkMark } from '../chunks/repeated-chunks.ts';
import type { ProgressMeter } from '../progress-meter.ts';
import { BATCH_BYTES, BufferPool } from '../chunks/buffer-pool.ts';
import { wantedChunks } from '../write/small-file-batch.ts';
import type { RestoreDependencies } from '../types.ts';

export interface VerificationInput {
  readonly plan: Plan;
  readonly deps: Pick<RestoreDependencies, 'downloader' | 'pool' | 'keys' | 'clock'>;
  readonly meter: ProgressMeter;
  readonly samplePercent: number;
  readonly options: RunOptions<RestoreProgress>;
}

export interface CheckedChunks {
  /** Files whose every chunk was checked. */
  readonly files: number;
  readonly chunks: number;
  /** `sha256:…` to what is wrong. */
  readonly damaged: ReadonlyMap<string, ErrorCode>;
}

/** A file whose chunks are being checked. */
interface FileCheck {
  readonly work: PlannedWork;
  /** Chunks that no answer has come for, and one while more are being added. */
  open: number;
  bytes: number;
  /** Every chunk so far was chosen and is well. */
  whole: boolean;
}

interface ChunkCheck {
  readonly chunk: WantedChunk;
  /** Each reference once: a file may hold a chunk twice. */
  readonly files: FileCheck[];
}

const BATCH_CHUNKS = 512;

/** Checks each chunk of a plan once, with a bounded number of batches under way. */
export class ChunkVerification {
  readonly #input: VerificationInput;
  readonly #damaged = new Map<string, ErrorCode>();
  /** Of chunks that are needed again: what came of them, or who waits for it. */
  readonly #known = new Map<string, CheckedChunk | 'not-chosen' | ChunkCheck>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #rooms: BufferPool;
  #repeated: ReadonlySet<ChunkMark> = new Set();
  #batch: ChunkCheck[] = [];
  #batchBytes = 0;
  #files = 0;
  #chunks = 0;
  #error: unknown;

  constructor(input: VerificationInput) {
    this.#input = input;
    this.#rooms = new BufferPool(Math.min(16, Math.max(2, input.deps.downloader.concurrency) + 1));
  }

  async run(store: PlanStore): Promise<CheckedChunks> {
    this.#repeated = await findRepeated(store.chunkListsToWrite());
    for (const work of store.workInOrder()) {
      if (work.type !== 'file') continue;
      if (this.#error !== undefined || this.#input.options.signal?.aborted) break;
      await this.#addFile(work);
    }
    await this.#flush();
    await Promise.all(this.#underWay);
    throwIfInterrupted(this.#input.options.signal);
    if (this.#error !== undefined) throw this.#error as Error;
    return { files: this.#files, chunks: this.#chunks, damaged: this.#damaged };
  }

  async #addFile(work: PlannedWork): Promise<void> {
    const { failures, sessions } = this.#input.plan;
    if (work.chunks === null) {
      failures.add(work.path, 'tree_invalid', undefined, 'entry-missing');
      return;
    }
    const chunks = wantedChunks(work, sessions);
    const file: FileCheck = { work, open: 1, bytes: 0, whole: true };
    for (const chunk of chunks) {
      file.open += 1;
      this.#addChunk(chunk, file, work.size / chunks.length);
      if (this.#batchBytes >= BATCH_BYTES || this.#batch.length >= BATCH_CHUNKS) await this.#flush();
    }
    this.#answer(file, 0);
  }

  #addChunk(chunk: WantedChunk, file: FileCheck, bytes: number): void {
    const isRepeated = this.#repeated.has(chunk.mark);
    const known = isRepeated ? this.#known.get(chunk.hash) : undefined;
    if (typeof known === 'object') {
      known.files.push(file);
    } else if (known !== undefined) {
      this.#answer(file, known);
    } else if (Math.random() * 100 >= this.#input.samplePercent) {
      if (isRepeated) this.#known.set(chunk.hash, 'not-chosen');
      this.#answer(file, 'not-chosen');
    } else {
      const check = { chunk, files: [file] };
      if (isRepeated) this.#known.set(chunk.hash, check);
      this.#batch.push(check);
      this.#batchBytes += bytes;
    }
  }

  #answer(file: FileCheck, result: CheckedChunk | 'not-chosen'): void {
    file.open -= 1;
    if (typeof result === 'number') file.bytes += result;
    else file.whole = false;
    if (file.open > 0) return;
    const { plan, meter } = this.#input;
    const { path, size, contentSize } = file.work;
    if (file.whole) this.#files += 1;
    if (contentSize !== size || (file.whole && file.bytes !== size)) plan.failures.add(path, 'file_size_mismatch');
    meter.done(1, size, path);
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#batchBytes = 0;
    const room = await this.#rooms.take();
    const work = this.#check(batch, room)
      .catch((error: unknown) => {
        this.#error ??= error;
      })
      .finally(() => this.#rooms.give(room));
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  async #check(batch: readonly ChunkCheck[], room: BlobArena): Promise<void> {
    let left = batch;
    for (let tries = 1; left.length > 0; tries += 1) {
      const results = await this.#open(
        left.map((check) => check.chunk),
        room,
      );
      const last = tries === CHUNK_TRIES;
      left = left.filter((check, index) => {
        const result = results[index]!;
        if (typeof result !== 'number' && !last) return true;
        this.#settle(check, result);
        return false;
      });
      if (left.length > 0) await this.#input.deps.clock.sleep(pauseBeforeRetry(tries), this.#input.options.signal);
    }
  }

  async #open(chunks: readonly WantedChunk[], room: BlobArena): Promise<readonly CheckedChunk[]> {
    room.clear();
    const { downloader, pool, keys } = this.#input.deps;
    const got = new Map<string, GotChunk>();
    for (const session of new Set(chunks.map((chunk) => chunk.session))) {
      const hashes = chunks.filter((chunk) => chunk.session === session).map((chunk) => chunk.hash);
      const take = (hash: string, bytes: Uint8Array | undefined): void => {
        got.set(hash, { input: bytes ?? null, length: undefined, shared: false });
      };
      await downloader.download(session, hashes, take, this.#input.options.signal, room);
    }
    const { transfer, ...packed } = packChunks(chunks, got);
    return await pool.run('checkChunks', { chunkSubKey: keys.chunk, ...packed }, transfer);
  }

  #settle(check: ChunkCheck, result: CheckedChunk): void {
    const { hash, mark } = check.chunk;
    this.#chunks += 1;
    if (typeof result !== 'number') this.#damaged.set(hash, result);
    if (this.#repeated.has(mark)) this.#known.set(hash, result);
    for (const file of check.files) this.#answer(file, result);
  }
}
