import { segmentOfBytes } from '../../os/filesystem/names/entry-path.ts';
import {
  chunkCount,
  DIGEST_BYTES,
  hexDigestAt,
  MAX_CHUNK_BYTES,
  plaintextBytes,
  sizeAt,
} from '../../format/chunks/chunk-list.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import type { PlanStore } from '../record/plan-store.ts';
import type { RestorePool } from '../tasks.ts';

/** A chunk of an entry. */
interface EntryChunk {
  readonly digest: Buffer;
  /** Offset in the entry. */
  readonly offset: number;
  readonly length: number;
  /** Offset in the existing file; `unknown`, or `elsewhere` if another file has the chunk. */
  at: number | 'unknown' | 'elsewhere';
}

/** A chunk and the offset in the existing file at which it may be. */
export interface Guess {
  readonly chunk: EntryChunk;
  readonly at: number;
}

/** Chunks that a worker compares between two checks for an interruption: 256 MiB at most. */
const PART_CHUNKS = (256 * 2 ** 20) / MAX_CHUNK_BYTES;

/**
 * Finds chunks of an entry that an existing file has between other boundaries. A boundary depends on the one before, so the
 * chunks that follow a change may be cut in another way although their bytes are there.
 */
export class ShiftedChunks {
  readonly #chunks: readonly EntryChunk[];
  readonly #size: number;

  /**
   * @param digests of the entry, 32 bytes each
   * @param sizes of its chunks, 32-bit big-endian
   * @param list the chunks of the existing file
   */
  constructor(store: PlanStore, digests: Buffer, sizes: Buffer, list: Buffer) {
    this.#size = plaintextBytes(list);
    const places = new Map<string, number>();
    let position = 0;
    for (let index = 0; index < chunkCount(list); index += 1) {
      places.set(hexDigestAt(list, index), position);
      position += sizeAt(list, index);
    }
    let offset = 0;
    this.#chunks = Array.from({ length: sizes.length / 4 }, (_, index): EntryChunk => {
      const digest = digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
      const length = sizes.readUInt32BE(index * 4);
      const at = places.get(digest.toString('hex')) ?? (store.found.findChunk(digest) ? 'elsewhere' : 'unknown');
      offset += length;
      return { digest, offset: offset - length, length, at };
    });
  }

  /**
   * Returns the chunks that are where a neighbour suggests: bytes behind a change have moved as far as the next chunk that was
   * found, or as the end of the file; bytes before it as far as the chunk before.
   *
   * @param path of the file for `node:fs`
   * @throws HoldfastError `interrupted`
   */
  async find(pool: RestorePool, path: string | Buffer, signal: AbortSignal | undefined): Promise<readonly Guess[]> {
    // A single chunk would have been found.
    if (this.#chunks.length < 2) return [];
    const found: Guess[] = [];
    const last = this.#chunks.at(-1)!;
    const end = [{ chunk: last, at: this.#size - last.length }];
    const tried = new Set<string>();
    for (const guesses of [() => end, () => this.#guesses('after'), () => this.#guesses('before')]) {
      const fresh = guesses().filter((guess) => this.#isPossible(guess) && !tried.has(keyOf(guess)));
      for (const guess of fresh) tried.add(keyOf(guess));
      for (let first = 0; first < fresh.length; first += PART_CHUNKS) {
        throwIfInterrupted(signal);
        const matching = await this.#matching(fresh.slice(first, first + PART_CHUNKS), pool, path);
        for (const guess of matching) guess.chunk.at = guess.at;
        found.push(...matching);
      }
    }
    return found;
  }

  #isPossible({ chunk, at }: Guess): boolean {
    return chunk.at === 'unknown' && at >= 0 && at + chunk.length <= this.#size;
  }

  /** @param side the neighbour whose move is assumed */
  #guesses(side: 'before' | 'after'): readonly Guess[] {
    const guesses: Guess[] = [];
    let move: number | undefined;
    for (const chunk of side === 'before' ? this.#chunks : this.#chunks.toReversed()) {
      if (typeof chunk.at === 'number') move = chunk.at - chunk.offset;
      else if (move !== undefined) guesses.push({ chunk, at: chunk.offset + move });
    }
    return guesses;
  }

  async #matching(guesses: readonly Guess[], pool: RestorePool, path: string | Buffer): Promise<readonly Guess[]> {
    const matches = await pool.run('matchChunks', {
      path: typeof path === 'string' ? path : segmentOfBytes(path),
      places: Float64Array.from(guesses.flatMap(({ chunk, at }) => [at, chunk.length])),
      digests: Buffer.concat(guesses.map(({ chunk }) => chunk.digest)),
    });
    return guesses.filter((_, index) => matches[index] === 1);
  }
}

function keyOf({ chunk, at }: Guess): string {
  return `${chunk.offset} ${at}`;
}
