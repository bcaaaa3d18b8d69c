import type { RestorePoint } from '../../protocol/extensions.ts';
import type { CatalogDatabase } from './database.ts';

/** The newest tree that this computer saw of a device's set. */
export interface SeenTree {
  readonly sequence: number;
  /** Hex. */
  readonly treeHash: string;
  /** That of the tree that it continues; `undefined` for the first. */
  readonly previousTree: string | undefined;
  /** Milliseconds since the epoch. */
  readonly created: number;
}

/**
 * Stores restore points of one destination that this computer made or saw, for services that cannot list them, and the
 * newest trees seen.
 */
export class CatalogHistory {
  readonly #database: CatalogDatabase;
  readonly #destination: string;

  constructor(database: CatalogDatabase, destination: string) {
    this.#database = database;
    this.#destination = destination;
  }

  recordRestorePoint(device: string, backupSet: string, point: RestorePoint): void {
    this.#database
      .prepare(`INSERT INTO restore_point VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
         SET backup_id = excluded.backup_id, files = excluded.files, bytes = excluded.bytes`)
      .run(this.#destination, device, backupSet, point.restore_point, point.backup_id, point.files, point.bytes);
  }

  /** Forgets a restore point that is no longer expected to be there. */
  forgetRestorePoint(device: string, backupSet: string, backupId: string): void {
    this.#database
      .prepare('DELETE FROM restore_point WHERE destination = ? AND device = ? AND backup_set = ? AND backup_id = ?')
      .run(this.#destination, device, backupSet, backupId);
  }

  /** Returns all of a set, newest first. */
  restorePoints(device: string, backupSet: string): RestorePoint[] {
    return this.#database
      .prepare(
        `SELECT time AS restore_point, backup_id, files, bytes FROM restore_point
         WHERE destination = ? AND device = ? AND backup_set = ? ORDER BY time DESC`,
      )
      .all(this.#destination, device, backupSet) as RestorePoint[];
  }

  newestPoint(device: string, backupSet: string): RestorePoint | undefined {
    return this.#database
      .prepare(
        `SELECT time AS restore_point, backup_id, files, bytes FROM restore_point
         WHERE destination = ? AND device = ? AND backup_set = ? ORDER BY time DESC LIMIT 1`,
      )
      .get(this.#destination, device, backupSet) as RestorePoint | undefined;
  }

  seenTree(device: string, backupSet: string): SeenTree | undefined {
    const seen = this.#database
      .prepare(
        `SELECT sequence, tree_hash AS treeHash, previous_tree AS previousTree, created FROM tree_seen
         WHERE destination = ? AND device = ? AND backup_set = ?`,
      )
      .get(this.#destination, device, backupSet) as SeenTree | undefined;
    return seen && { ...seen, previousTree: seen.previousTree ?? undefined };
  }

  /**
   * Stores a tree unless one with a higher sequence was seen. Of two that continue the same one, the later is the newer. One outside of the
   * chain is not stored.
   */
  recordSeenTree(device: string, backupSet: string, tree: SeenTree): void {
    const { sequence, treeHash, previousTree, created } = tree;
    if (sequence === 0) return;
    this.#database
      .prepare(
        `INSERT INTO tree_seen VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (destination, device, backup_set) DO UPDATE
         SET sequence = excluded.sequence, tree_hash = excluded.tree_hash, previous_tree = excluded.previous_tree,
           created = excluded.created
         WHERE excluded.sequence > sequence OR (excluded.sequence = sequence
           AND excluded.previous_tree IS previous_tree AND excluded.created > created)`,
      )
      .run(this.#destination, device, backupSet, sequence, treeHash, previousTree ?? null, created);
  }
}
