import type { KnownPiece } from '../format/tree/piece.ts';
import type { CatalogDatabase } from './schema.ts';
import { dirtyPathsSince, type DirtyPath } from './entries/dirty-paths.ts';

/** The tree of a set's newest restore point at one destination. */
export interface CommittedTree {
  readonly device: string;
  /** The service's id of the run that stored it. */
  readonly backupId: string;
  /** Hex. */
  readonly treeHash: string;
  readonly privateNames: boolean;
  /** `Keys.id` of the run. */
  readonly keyId: string;
  /** Time of the last run that made and sent everything; milliseconds since the epoch. */
  readonly fullAt: number;
  /** Runs since then. */
  readonly runsSince: number;
}

/** A committed tree as it is stored. */
export interface StoredTree extends CommittedTree {
  /** It has what was written to the catalog up to this revision. */
  readonly revision: number;
}

/** Stores the tree of each set's newest restore point at one destination. */
export class CommittedTrees {
  readonly #database: CatalogDatabase;
  readonly #destination: string;

  constructor(database: CatalogDatabase, destination: string) {
    this.#database = database;
    this.#destination = destination;
  }

  find(setId: number): StoredTree | undefined {
    const row = this.#database
      .prepare(
        `SELECT revision, device, backup_id AS backupId, tree_hash AS treeHash, private_names AS privateNames,
           key_id AS keyId, full_at AS fullAt, runs_since AS runsSince FROM committed_tree WHERE backup_set = ? AND destination = ?`,
      )
      .get(setId, this.#destination) as (Omit<StoredTree, 'privateNames'> & { privateNames: number }) | undefined;
    return row && { ...row, privateNames: row.privateNames === 1 };
  }

  /** Returns the pieces of its records, in order. */
  pieces(setId: number): readonly KnownPiece[] {
    return this.#database
      .prepare(
        `SELECT first_path AS firstPath, chunks, records, files, bytes FROM tree_piece
         WHERE backup_set = ? AND destination = ? ORDER BY number`,
      )
      .all(setId, this.#destination) as KnownPiece[];
  }

  /**
   * Returns the paths at which the catalog may differ from the tree, in order.
   *
   * @returns `undefined` if there is no tree, or if there are more than `limit`
   */
  dirty(setId: number, limit: number): readonly DirtyPath[] | undefined {
    const tree = this.find(setId);
    return tree && dirtyPathsSince(this.#database, setId, tree.revision, limit);
  }

  /** Must be called in the transaction that commits the run. */
  replace(setId: number, tree: StoredTree, pieces: readonly KnownPiece[]): void {
    this.remove(setId);
    this.#database
      .prepare(
        `INSERT INTO committed_tree VALUES
         (:setId, :destination, :revision, :device, :backupId, :treeHash, :privateNames, :keyId, :fullAt, :runsSince)`,
      )
      .run({ ...tree, setId, destination: this.#destination, privateNames: tree.privateNames ? 1 : 0 });
    const insert = this.#database.prepare(
      'INSERT INTO tree_piece VALUES (:setId, :destination, :number, :firstPath, :chunks, :records, :files, :bytes)',
    );
    for (const [number, piece] of pieces.entries()) {
      insert.run({ ...piece, setId, destination: this.#destination, number });
    }
  }

  remove(setId: number): void {
    this.#database
      .prepare('DELETE FROM committed_tree WHERE backup_set = ? AND destination = ?')
      .run(setId, this.#destination);
  }
}
