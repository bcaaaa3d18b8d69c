import pLimit from 'p-limit';
import { HoldfastError } from '../base/errors/errors.ts';
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import { formatChunkHash } from '../protocol/chunk-hash.ts';
import { chunkCount, hexDigestAt, sizeAt } from '../format/chunks/chunk-list.ts';
import { fetchEach, type ChunkDependencies } from '../read/chunks/fetch-chunks.ts';
import { isDataFailure } from '../read/source/tree.ts';
import { RecentCache, untilAborted, type Weighed } from './recent-cache.ts';
import { MINUTE } from '../model/units.ts';

/** Plaintext bytes that are kept in memory for all readers. */
const CACHE_BYTES = 64 * 2 ** 20;
/** Plaintext bytes that are fetched ahead of a reader that goes from the front to the end. */
const AHEAD_BYTES = 8 * 2 ** 20;
/** Groups of chunks that are fetched at once. */
const CONCURRENCY = 6;
/** A reader is at its previous position if it is not further away: the kernel's requests overtake each other. */
const DRIFT_BYTES = 2 ** 20;
/** For how long a damaged chunk is not fetched again. The kernel asks for each of its pages. */
const DAMAGE_MS = MINUTE;
const MOST_DAMAGED = 10_000;

/** A file of a restore point. */
export interface ReadableFile {
  /** chunk/chunk-list.ts; always the same buffer for a file. */
  readonly chunks: Buffer;
  /** Opens the restore session that serves them. */
  readonly session: () => Promise<string>;
}

/** Chunks that are to be fetched, by hash. */
type Missing = Map<string, PromiseWithResolvers<Weighed<Buffer>> & { readonly size: number }>;

interface Position {
  /** Where the last read ended. */
  end: number;
  /** Index of the first chunk that is not fetched ahead. */
  ahead: number;
}

/** Reads parts of files, for many readers side by side, in bounded memory. */
export class ContentReader {
  readonly #deps: ChunkDependencies;
  readonly #chunks = new RecentCache<Buffer>(CACHE_BYTES);
  readonly #damaged = new Map<string, { readonly error: HoldfastError; readonly until: number }>();
  readonly #limit = pLimit(CONCURRENCY);
  /** Offsets at which the chunks of a file begin, and its size. */
  readonly #starts = new WeakMap<Buffer, Float64Array>();
  readonly #positions = new WeakMap<Buffer, Position>();
  readonly #signal: AbortSignal;

  /** @param signal ends all fetches */
  constructor(deps: ChunkDependencies, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /**
   * @returns the bytes in parts; fewer at the end of the file
   * @throws HoldfastError `chunk_*` if a chunk in this range is damaged, and what the service throws
   */
  read(file: ReadableFile, offset: number, size: number, signal: AbortSignal): MaybePromise<readonly Buffer[]> {
    const starts = this.#startsOf(file.chunks);
    const end = Math.min(offset + size, starts.at(-1)!);
    if (offset >= end) return [];
    const first = indexAt(starts, offset);
    const last = indexAt(starts, end - 1);
    const indexes = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const wanted = this.#fetch(file, indexes);
    this.#readAhead(file, starts, { offset, end, last });
    const loaded = allOf(wanted);
    return whenReady(untilAborted(loaded, signal), (chunks) =>
      chunks.map((chunk, index) => {
        const start = starts[first + index]!;
        return chunk.subarray(Math.max(0, offset - start), Math.min(chunk.length, end - start));
      }),
    );
  }

  /** Fetches what follows if the file is read in order, when less than half of that is there already. */
  #readAhead(
    file: ReadableFile,
    starts: Float64Array,
    { offset, end, last }: { readonly offset: number; readonly end: number; readonly last: number },
  ): void {
    const position = this.#positions.get(file.chunks);
    if (!position || offset === 0 || Math.abs(offset - position.end) > DRIFT_BYTES) {
      this.#positions.set(file.chunks, { end, ahead: last + 1 });
      return;
    }
    position.end = Math.max(end, position.end);
    const from = Math.max(position.ahead, last + 1);
    const count = chunkCount(file.chunks);
    if (from >= count || starts[from]! - end > AHEAD_BYTES / 2) return;
    let to = from;
    while (to < count && starts[to + 1]! - end <= AHEAD_BYTES) to += 1;
    position.ahead = to;
    void this.#fetch(
      file,
      Array.from({ length: to - from }, (_, index) => from + index),
    );
  }

  /**
   * Fetches files that will probably be read next, together.
   *
   * @param session serves all of them
   */
  fetchAhead(session: ReadableFile['session'], files: readonly Buffer[]): void {
    const missing: Missing = new Map();
    for (const chunks of files) {
      for (let index = 0; index < chunkCount(chunks); index += 1) void this.#take(chunks, index, missing);
    }
    this.#start(session, missing);
  }

  /** Returns each chunk as it arrives. A failure need not be awaited. */
  #fetch(file: ReadableFile, indexes: readonly number[]): readonly MaybePromise<Buffer>[] {
    const missing: Missing = new Map();
    const found = indexes.map((index) => this.#take(file.chunks, index, missing));
    this.#start(file.session, missing);
    return found;
  }

  /** Returns a chunk; adds it to `missing` if it is neither there nor on its way. */
  #take(chunks: Buffer, index: number, missing: Missing): MaybePromise<Buffer> {
    const hash = formatChunkHash(hexDigestAt(chunks, index));
    const damage = this.#damageOf(hash);
    if (damage) return rejected(damage);
    return this.#chunks.get(hash, () => {
      const loading = { ...Promise.withResolvers<Weighed<Buffer>>(), size: sizeAt(chunks, index) };
      missing.set(hash, loading);
      return loading.promise;
    });
  }

  #start(session: ReadableFile['session'], missing: Missing): void {
    if (missing.size === 0) return;
    const fail = (error: unknown): void => missing.forEach(({ reject }) => reject(error));
    this.#limit(() => this.#download(session, missing)).catch(fail);
  }

  async #download(session: ReadableFile['session'], missing: Missing): Promise<void> {
    const onChunk = (hash: string, plaintext: Buffer): void => {
      const { size, resolve } = missing.get(hash)!;
      if (plaintext.length === size) resolve({ value: plaintext, weight: size });
    };
    const request = { session: await session(), hashes: [...missing.keys()], onChunk };
    const outcomes = await fetchEach(request, this.#deps, this.#signal);
    for (const [hash, { reject }] of missing) {
      const outcome = outcomes.get(hash);
      // Resolved already if its size is right.
      const error = outcome instanceof HoldfastError ? outcome : new HoldfastError('chunk_corrupt', { chunk: hash });
      if (!Buffer.isBuffer(outcome) || outcome.length !== missing.get(hash)!.size) this.#remember(hash, error);
      reject(error);
    }
  }

  #remember(hash: string, error: HoldfastError): void {
    if (!isDataFailure(error)) return;
    const [oldest] = this.#damaged.keys();
    if (this.#damaged.size >= MOST_DAMAGED && oldest !== undefined) this.#damaged.delete(oldest);
    this.#damaged.set(hash, { error, until: this.#deps.clock.now() + DAMAGE_MS });
  }

  #damageOf(hash: string): HoldfastError | undefined {
    const known = this.#damaged.get(hash);
    if (known && known.until > this.#deps.clock.now()) return known.error;
    if (known) this.#damaged.delete(hash);
    return undefined;
  }

  #startsOf(chunks: Buffer): Float64Array {
    const known = this.#starts.get(chunks);
    if (known) return known;
    const count = chunkCount(chunks);
    const starts = new Float64Array(count + 1);
    for (let index = 0; index < count; index += 1) starts[index + 1] = starts[index]! + sizeAt(chunks, index);
    this.#starts.set(chunks, starts);
    return starts;
  }
}

/** Waits only if one of them is not there. */
function allOf<Value>(values: readonly MaybePromise<Value>[]): MaybePromise<readonly Value[]> {
  const there = values.filter((value): value is Value => !(value instanceof Promise));
  return there.length === values.length ? there : Promise.all(values.map(async (value) => value));
}

/** Index of the chunk that contains an offset below the size of the file. */
function indexAt(starts: Float64Array, offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low;
}

function rejected(damage: HoldfastError): Promise<never> {
  const promise = Promise.reject(damage);
  // It is awaited only by who reads this chunk.
  promise.catch(() => undefined);
  return promise;
}
