import { prepareOnce } from '../../base/prepared-statements.ts';
import type { ProjectionDatabase } from './schema.ts';

/** A pack that this computer has begun to store. */
export interface UnfinishedPack {
  readonly hash: Buffer;
  /** False if it may not survive a power cut, or does not exist. */
  readonly isStored: boolean;
}

/** Packs that this computer has begun to store, until it counts on them. A run that is killed leaves them to the next one. */
export class UnfinishedPacks {
  readonly #database: ProjectionDatabase;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
  }

  /** Records that a pack is about to be stored. A power cut after this returns does not undo it. */
  begin(hash: Uint8Array): void {
    const before = this.#database.pragma('synchronous', { simple: true });
    this.#database.pragma('synchronous = FULL');
    try {
      prepareOnce(
        this.#database,
        'INSERT INTO unfinished_pack (hash, stored) VALUES (?, 0) ON CONFLICT DO NOTHING',
      ).run(hash);
    } finally {
      this.#database.pragma(`synchronous = ${String(before)}`);
    }
  }

  /** Records that a pack is stored, and that its parity is not. */
  markStored(hash: Uint8Array): void {
    prepareOnce(this.#database, 'UPDATE unfinished_pack SET stored = 1 WHERE hash = ?').run(hash);
  }

  /** Records that this computer counts on a pack, or has given it up. */
  end(hash: Uint8Array): void {
    prepareOnce(this.#database, 'DELETE FROM unfinished_pack WHERE hash = ?').run(hash);
  }

  all(): readonly UnfinishedPack[] {
    return prepareOnce<[], { hash: Buffer; stored: number }>(
      this.#database,
      'SELECT hash, stored FROM unfinished_pack ORDER BY hash',
    )
      .all()
      .map(({ hash, stored }) => ({ hash, isStored: stored === 1 }));
  }
}
