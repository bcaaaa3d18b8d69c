import { bufferOf } from '../../base/buffer-of.ts';
import { READ, UNFINISHED } from '../../archive/chunk/chunk-files.ts';
import { chunkCount, DIGEST_BYTES, digestAt, plaintextBytes, sizeAt } from '../../format/chunks/chunk-list.ts';
import { segmentOfBytes } from '../../os/filesystem/names/entry-path.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import type { RestorePool } from '../tasks.ts';
import type { PlanStore } from '../record/plan-store.ts';
import type { PlannedEntry } from '../record/planned-entry.ts';
import { ShiftedChunks } from './shifted-chunks.ts';

/** Bytes that a worker reads between two checks for an interruption. */
const PART_BYTES = 256 * 2 ** 20;

/**
 * Compares the content of existing files with that of planned ones. Size and time prove nothing: a damaged disk changes
 * neither, and some programs reset the time (VeraCrypt does so with its containers).
 */
export class ContentComparison {
  readonly #pool: RestorePool;
  readonly #store: PlanStore;
  readonly #signal: AbortSignal | undefined;

  constructor(store: PlanStore, pool: RestorePool, signal: AbortSignal | undefined) {
    this.#store = store;
    this.#pool = pool;
    this.#signal = signal;
  }

  /**
   * Returns whether the file's chunks are those of the entry. Unreadable files count as different, and so do files that were
   * backed up with other chunk boundaries: the result is a superfluous copy, which does no harm.
   *
   * @param path for `node:fs`; has to stay valid meanwhile
   * @throws HoldfastError `interrupted`
   */
  async isSame(entry: PlannedEntry, path: string | Buffer): Promise<boolean> {
    const wanted = this.#store.chunksOf(entry.id);
    if (!wanted) return false;
    let compared = 0;
    for await (const list of this.#read(path)) {
      if (!isAt(wanted, compared, list)) return false;
      compared += chunkCount(list);
    }
    return compared * DIGEST_BYTES === wanted.length;
  }

  /**
   * Like `isSame`, but reads the whole file if its content differs, and stores its chunks in the plan, so that they need not be
   * fetched; also those of the entry that it has between other boundaries.
   *
   * @param target path of the file below the target folder
   */
  async isSameOrSource(entry: PlannedEntry, path: string | Buffer, target: string): Promise<boolean> {
    const wanted = this.#store.chunksOf(entry.id);
    if (!wanted) return false;
    const lists: Buffer[] = [];
    let isSame = true;
    let compared = 0;
    for await (const list of this.#read(path)) {
      isSame &&= isAt(wanted, compared, list);
      compared += chunkCount(list);
      lists.push(list);
    }
    if (isSame && compared * DIGEST_BYTES === wanted.length) return true;
    const list = Buffer.concat(lists);
    this.#storeChunks(list, target);
    const sizes = this.#store.sizesOf(entry.id);
    const shifted = sizes && new ShiftedChunks(this.#store, wanted, sizes, list);
    for (const { chunk, at } of (await shifted?.find(this.#pool, path, this.#signal)) ?? []) {
      this.#store.found.addChunk(chunk.digest, { target, offset: at, length: chunk.length });
    }
    return false;
  }

  #storeChunks(list: Buffer, target: string): void {
    let offset = 0;
    for (let index = 0; index < chunkCount(list); index += 1) {
      const length = sizeAt(list, index);
      if (length > 0) this.#store.found.addChunk(digestAt(list, index), { target, offset, length });
      offset += length;
    }
  }

  /** Yields the chunk lists of a file's parts. One that cannot be read to its end gets a last chunk that no other file has. */
  async *#read(path: string | Buffer): AsyncGenerator<Buffer> {
    const paths = [typeof path === 'string' ? path : segmentOfBytes(path)];
    let offset = 0;
    let stat: Uint8Array | undefined;
    for (;;) {
      throwIfInterrupted(this.#signal);
      const input = { paths, offset, limit: PART_BYTES, ...(stat ? { stat } : {}) };
      const { states, stats, chunks } = await this.#pool.run('chunkFiles', input);
      const list = bufferOf(chunks);
      const [state] = states;
      yield list;
      if (state === READ) return;
      if (state !== UNFINISHED) {
        yield UNREADABLE;
        return;
      }
      offset += plaintextBytes(list);
      stat = stats;
    }
  }
}

/** A chunk list of one chunk without bytes, whose digest is that of nothing. */
const UNREADABLE = Buffer.alloc(DIGEST_BYTES + 4);

function isAt(wanted: Buffer, first: number, list: Buffer): boolean {
  for (let index = 0; index < chunkCount(list); index += 1) {
    const start = (first + index) * DIGEST_BYTES;
    if (!digestAt(list, index).equals(wanted.subarray(start, start + DIGEST_BYTES))) return false;
  }
  return true;
}
