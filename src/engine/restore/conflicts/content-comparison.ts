import { bufferOf } from '../../../base/buffer-of.ts';
import { READ, UNFINISHED } from '../../chunk/chunk-files.ts';
import { chunkCount, DIGEST_BYTES, digestAt, plaintextBytes } from '../../chunk/chunk-list.ts';
import { segmentOfBytes } from '../../filesystem/entry-path.ts';
import { throwIfInterrupted } from '../../job/interruption.ts';
import type { RestorePool } from '../tasks.ts';
import type { PlanStore } from '../plan/plan-store.ts';
import type { PlannedEntry } from '../plan/planned-entry.ts';

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
    const paths = [typeof path === 'string' ? path : segmentOfBytes(path)];
    let offset = 0;
    let compared = 0;
    let stat: Uint8Array | undefined;
    for (;;) {
      throwIfInterrupted(this.#signal);
      const input = { paths, offset, limit: PART_BYTES, ...(stat ? { stat } : {}) };
      const { states, stats, chunks } = await this.#pool.run('chunkFiles', input);
      const list = bufferOf(chunks);
      for (let index = 0; index < chunkCount(list); index += 1) {
        const start = compared * DIGEST_BYTES;
        if (!digestAt(list, index).equals(wanted.subarray(start, start + DIGEST_BYTES))) return false;
        compared += 1;
      }
      if (states[0] === READ) return compared * DIGEST_BYTES === wanted.length;
      if (states[0] !== UNFINISHED) return false;
      offset += plaintextBytes(list);
      stat = stats;
    }
  }
}
