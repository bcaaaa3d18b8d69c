import type { ProjectionDatabase } from './database.ts';

/** Packs that this computer has stored, and whose parity it has not stored yet. No backup counts on them. */
export class UnfinishedPacks {
  readonly #database: ProjectionDatabase;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
  }

  /** Records that a pack is stored. */
  begin(hash: Uint8Array): void {
    this.#database.prepare('INSERT INTO unfinished_pack (hash) VALUES (?) ON CONFLICT DO NOTHING').run(hash);
  }

  /** Records that a pack's parity is stored, or that the pack is given up. */
  end(hash: Uint8Array): void {
    this.#database.prepare('DELETE FROM unfinished_pack WHERE hash = ?').run(hash);
  }

  /** Hashes of the packs. Their files may be missing. */
  all(): readonly Buffer[] {
    return this.#database.prepare<[], Buffer>('SELECT hash FROM unfinished_pack ORDER BY hash').pluck().all();
  }
}
