import type { KnownPiece } from '../tree/piece.ts';
import type { CatalogDatabase } from './database.ts';

/** The tree of a set's newest restore point. */
export interface CommittedTree {
  readonly device: string;
  /** The service's id of the run that stored it. */
  readonly backupId: string;
  /** Hex. */
  readonly treeHash: string;
  readonly privateNames: boolean;
  /** Time of the last run that made and sent everything; milliseconds since the epoch. */
  readonly fullAt: number;
  /** Runs since then. */
  readonly runsSince: number;
}

/** Stores the tree of each set's newest restore point. */
export class CommittedTrees {
  readonly #database: CatalogDatabase;

  constructor(database: CatalogDatabase) {
    this.#database = database;
  }

  find(setId: number): CommittedTree | undefined {
    const row = this.#database
      .prepare(
        `SELECT device, backup_id AS backupId, tree_hash AS treeHash, private_names AS privateNames,
           full_at AS fullAt, runs_since AS runsSince FROM committed_tree WHERE backup_set = ?`,
      )
      .get(setId) as (Omit<CommittedTree, 'privateNames'> & { privateNames: number }) | undefined;
    return row && { ...row, privateNames: row.privateNames === 1 };
  }

  /** Returns the pieces of its records, in order. */
  pieces(setId: number): readonly KnownPiece[] {
    return this.#database
      .prepare(
        `SELECT first_path AS firstPath, chunks, records, files, bytes FROM tree_piece
         WHERE backup_set = ? ORDER BY number`,
      )
      .all(setId) as KnownPiece[];
  }

  /** Must be called in the transaction that commits the run. */
  replace(setId: number, tree: CommittedTree | undefined, pieces: readonly KnownPiece[]): void {
    this.#database.prepare('DELETE FROM committed_tree WHERE backup_set = ?').run(setId);
    this.#database.prepare('DELETE FROM tree_piece WHERE backup_set = ?').run(setId);
    if (!tree) return;
    const { device, backupId, treeHash, privateNames, fullAt, runsSince } = tree;
    this.#database
      .prepare('INSERT INTO committed_tree VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(setId, device, backupId, treeHash, privateNames ? 1 : 0, fullAt, runsSince);
    const insert = this.#database.prepare(
      'INSERT INTO tree_piece VALUES (:setId, :number, :firstPath, :chunks, :records, :files, :bytes)',
    );
    for (const [number, piece] of pieces.entries()) insert.run({ ...piece, setId, number });
  }
}
