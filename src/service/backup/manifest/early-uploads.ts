import { ChunkIdSet } from '../store/chunk-id-set.ts';
import type { BackupSession } from '../store/session.ts';
import type { ChunkStore } from '../store/chunk-store.ts';

/** The chunks that a session announced while it waited for its manifest, as of the last refresh: a bit for each. */
export class EarlyUploads {
  readonly #chunks: ChunkStore;
  readonly #waiting: BackupSession;
  readonly #ids = new ChunkIdSet();
  #last = 0;

  constructor(chunks: ChunkStore, waiting: BackupSession) {
    this.#chunks = chunks;
    this.#waiting = waiting;
  }

  /** Adds the chunks that were announced since the last call. */
  async refresh(): Promise<void> {
    for (;;) {
      const { ids, last } = await this.#chunks.announced(this.#waiting.number, this.#last);
      if (ids.length === 0) return;
      for (const id of ids) this.#ids.add(id);
      this.#last = last;
    }
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }
}
