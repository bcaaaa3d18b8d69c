import type { CatalogDatabase } from '../schema.ts';

interface SetRevisions {
  current: number;
  /** Revisions of the committed trees, ascending. */
  readonly committed: readonly number[];
}

/**
 * Numbers what is written to the catalog. Everything that a set's current revision writes has its number. A revision ends
 * when a snapshot is taken for a destination, so a snapshot has exactly what was written up to its revision, and every
 * later difference has a greater number.
 */
export class Revisions {
  readonly #database: CatalogDatabase;
  readonly #sets = new Map<number, SetRevisions>();
  /** Revisions that are being sent, by set. */
  readonly #held = new Map<number, number[]>();
  readonly #retained = new Map<number, readonly number[]>();

  constructor(database: CatalogDatabase) {
    this.#database = database;
  }

  /** The number of what is written now. */
  current(setId: number): number {
    return this.#set(setId).current;
  }

  /**
   * Returns the revisions that some destination's newest restore point has, or may soon have; ascending. For these, the
   * catalog records what has changed since.
   */
  retained(setId: number): readonly number[] {
    const known = this.#retained.get(setId);
    if (known) return known;
    const all = [...new Set([...this.#set(setId).committed, ...(this.#held.get(setId) ?? [])])];
    all.sort((a, b) => a - b);
    this.#retained.set(setId, all);
    return all;
  }

  /** Ends the current revision, and returns it. It is retained until `release`. */
  end(setId: number): number {
    const next = this.#database
      .prepare<[number], number>('UPDATE backup_set SET revision = revision + 1 WHERE id = ? RETURNING revision')
      .pluck()
      .get(setId)!;
    this.#set(setId).current = next;
    this.#held.set(setId, [...(this.#held.get(setId) ?? []), next - 1]);
    this.#retained.delete(setId);
    return next - 1;
  }

  release(setId: number, revision: number): void {
    const held = this.#held.get(setId) ?? [];
    this.#held.set(
      setId,
      held.filter((other) => other !== revision),
    );
    this.#retained.delete(setId);
  }

  /** Must be called when the stored revisions may have changed otherwise. */
  clearCache(): void {
    this.#sets.clear();
    this.#retained.clear();
  }

  #set(setId: number): SetRevisions {
    let known = this.#sets.get(setId);
    if (!known) {
      const current = this.#database
        .prepare<[number], number>('SELECT revision FROM backup_set WHERE id = ?')
        .pluck()
        .get(setId)!;
      const committed = this.#database
        .prepare<[number], number>('SELECT revision FROM committed_tree WHERE backup_set = ? ORDER BY revision')
        .pluck()
        .all(setId);
      known = { current, committed };
      this.#sets.set(setId, known);
    }
    return known;
  }
}
