import type { RestorePoint } from '../protocol/extensions.ts';
import type { CatalogDatabase } from './schema.ts';

/** A restore point that this computer made or saw. */
export interface KnownPoint extends RestorePoint {
  /** True if the destination listed it since. */
  readonly isListed: boolean;
}

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

/** Signs of ransomware that a run showed, and that no person has dismissed. */
export interface KnownAlarm {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Of `security.ransomware_detected`. */
  readonly reasons: readonly string[];
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

  /** @param treeHash of its tree, in hex */
  recordRestorePoint(device: string, backupSet: string, point: RestorePoint, treeHash: string): void {
    this.#database
      .prepare(`INSERT INTO restore_point VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO UPDATE
         SET backup_id = excluded.backup_id, files = excluded.files, bytes = excluded.bytes, completed = excluded.completed,
           tree_hash = excluded.tree_hash`)
      .run(
        this.#destination,
        device,
        backupSet,
        point.restore_point,
        point.backup_id,
        point.files,
        point.bytes,
        point.completed_at ?? null,
        treeHash,
      );
  }

  /** Returns the hash, in hex, of the tree of a restore point that this computer made or read; `undefined` for others. */
  treeHashAt(device: string, backupSet: string, restorePoint: string): string | undefined {
    return this.#database
      .prepare(
        'SELECT tree_hash FROM restore_point WHERE destination = ? AND device = ? AND backup_set = ? AND time = ?',
      )
      .pluck()
      .get(this.#destination, device, backupSet, restorePoint) as string | undefined;
  }

  /** Records that the destination lists everything of a set that this computer knows. */
  recordListed(device: string, backupSet: string): void {
    this.#database
      .prepare(
        'UPDATE restore_point SET listed = 1 WHERE destination = ? AND device = ? AND backup_set = ? AND listed = 0',
      )
      .run(this.#destination, device, backupSet);
  }

  /** Records whether the last reading could not vouch for what the destination lists. Writes nothing if that was so before. */
  recordDoubt(isDoubtful: boolean, now: number): void {
    if (isDoubtful === (this.doubtSince() !== undefined)) return;
    if (isDoubtful) {
      this.#database
        .prepare('INSERT INTO doubt (destination, since) VALUES (?, ?) ON CONFLICT DO NOTHING')
        .run(this.#destination, now);
    } else this.#database.prepare('DELETE FROM doubt WHERE destination = ?').run(this.#destination);
  }

  /** Returns since when the destination may have restore points that it does not list; in milliseconds since the epoch. */
  doubtSince(): number | undefined {
    return this.#database.prepare('SELECT since FROM doubt WHERE destination = ?').pluck().get(this.#destination) as
      | number
      | undefined;
  }

  /**
   * Records whether the destination removes nothing since it suspects ransomware.
   *
   * @param heldSince `undefined` if it removes; then no set has an alarm
   * @param alarm that of a set; `undefined` if the hold is due to another one
   */
  recordHold(heldSince: number | undefined, backupSet: string, alarm: KnownAlarm | undefined): void {
    this.#database.transaction(() => {
      if (heldSince === undefined) {
        this.#database.prepare('DELETE FROM alarm WHERE destination = ?').run(this.#destination);
        return;
      }
      this.#recordAlarm('', { since: heldSince, reasons: [] });
      if (alarm) this.#recordAlarm(backupSet, alarm);
      else {
        this.#database
          .prepare('DELETE FROM alarm WHERE destination = ? AND backup_set = ?')
          .run(this.#destination, backupSet);
      }
    })();
  }

  /** Returns since when the destination removes nothing, in milliseconds since the epoch. */
  heldSince(): number | undefined {
    return this.alarm('')?.since;
  }

  /** Returns the alarm of a set that stands. */
  alarm(backupSet: string): KnownAlarm | undefined {
    const row = this.#database
      .prepare('SELECT since, reasons FROM alarm WHERE destination = ? AND backup_set = ?')
      .get(this.#destination, backupSet) as { readonly since: number; readonly reasons: string } | undefined;
    return row && { since: row.since, reasons: row.reasons.split(' ').filter(Boolean) };
  }

  #recordAlarm(backupSet: string, { since, reasons }: KnownAlarm): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO alarm VALUES (?, ?, ?, ?)')
      .run(this.#destination, backupSet, since, reasons.join(' '));
  }

  /** Forgets a restore point that is no longer expected to be there. */
  forgetRestorePoint(device: string, backupSet: string, backupId: string): void {
    this.#database
      .prepare('DELETE FROM restore_point WHERE destination = ? AND device = ? AND backup_set = ? AND backup_id = ?')
      .run(this.#destination, device, backupSet, backupId);
  }

  /** Returns all of a set, newest first. */
  restorePoints(device: string, backupSet: string): KnownPoint[] {
    return this.#points(device, backupSet, '').map(knownPoint);
  }

  newestPoint(device: string, backupSet: string): KnownPoint | undefined {
    return this.#points(device, backupSet, 'LIMIT 1').map(knownPoint)[0];
  }

  #points(device: string, backupSet: string, limit: '' | 'LIMIT 1'): PointRow[] {
    return this.#database
      .prepare(
        `SELECT time, backup_id, files, bytes, completed, listed FROM restore_point
         WHERE destination = ? AND device = ? AND backup_set = ? ORDER BY time DESC ${limit}`,
      )
      .all(this.#destination, device, backupSet) as PointRow[];
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

interface PointRow {
  readonly time: string;
  readonly backup_id: string;
  readonly files: number;
  readonly bytes: number;
  readonly completed: string | null;
  readonly listed: number;
}

function knownPoint({ time, completed, listed, ...row }: PointRow): KnownPoint {
  return {
    restore_point: time,
    ...row,
    ...(completed === null ? {} : { completed_at: completed }),
    isListed: listed === 1,
  };
}
