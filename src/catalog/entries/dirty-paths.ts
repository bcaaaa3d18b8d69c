import type { Statement } from 'better-sqlite3';
import { pathOfSortKey, pathSortKey } from '../../model/entry-path.ts';
import { catalogDamage } from '../damage.ts';
import type { CatalogDatabase } from '../schema.ts';
import type { Directories } from './directories.ts';
import type { Revisions } from './revisions.ts';

/** A path at which the catalog may differ from a committed tree. */
export interface DirtyPath {
  /** Clear entry path. */
  readonly path: string;
  /** True if its entry was removed since, with everything below it. What exists now was written after that. */
  readonly removed: boolean;
}

/** Directories whose paths are cached. */
const CACHED = 4096;

interface DirectoryPrefix {
  readonly setId: number;
  /** Precedes the names in the directory. */
  readonly prefix: string;
}

/**
 * Records which paths of the catalog change, and in which revision, so that a destination's next restore point can be sent
 * as differences from its newest one.
 */
export class DirtyPaths {
  readonly #directories: Directories;
  readonly #revisions: Revisions;
  readonly #mark: Statement<[number, string, number, number]>;
  readonly #prune: Statement<[number, number, number]>;
  readonly #count: Statement<[number], number>;
  readonly #prefixes = new Map<number, DirectoryPrefix>();

  constructor(database: CatalogDatabase, directories: Directories, revisions: Revisions) {
    this.#directories = directories;
    this.#revisions = revisions;
    this.#mark = database.prepare(
      `INSERT INTO dirty (backup_set, key, written_at, removed_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (backup_set, key) DO UPDATE
       SET written_at = max(written_at, excluded.written_at), removed_at = max(removed_at, excluded.removed_at)`,
    );
    this.#prune = database.prepare('DELETE FROM dirty WHERE backup_set = ? AND written_at <= ? AND removed_at <= ?');
    this.#count = database.prepare<[number], number>('SELECT count(*) FROM dirty WHERE backup_set = ?').pluck();
  }

  /** Must be called in the transaction that writes the entry. */
  written(directory: number, name: string): void {
    const { setId, prefix } = this.#prefixOf(directory);
    if (!this.#isRecorded(setId)) return;
    this.#mark.run(setId, pathSortKey(prefix + name), this.#revisions.current(setId), 0);
  }

  /** Must be called before an entry is removed with everything below it. */
  removing(directory: number, name: string, isDirectory: boolean): void {
    const { setId, prefix } = this.#prefixOf(directory);
    if (this.#isRecorded(setId)) {
      this.#mark.run(setId, pathSortKey(prefix + name), 0, this.#revisions.current(setId));
    }
    // The ids of removed directories are reused.
    if (isDirectory) this.#prefixes.clear();
  }

  /** Deletes the paths that have not changed since any retained revision. */
  prune(setId: number): void {
    const oldest = this.#revisions.retained(setId)[0] ?? Number.MAX_SAFE_INTEGER;
    this.#prune.run(setId, oldest, oldest);
  }

  count(setId: number): number {
    return this.#count.get(setId)!;
  }

  /** Must be called when cached paths may have changed: a set was removed, or a transaction rolled back. */
  clearCache(): void {
    this.#prefixes.clear();
  }

  /** Returns whether anything is compared with an earlier revision. */
  #isRecorded(setId: number): boolean {
    return this.#revisions.retained(setId).length > 0;
  }

  #prefixOf(directory: number): DirectoryPrefix {
    const known = this.#prefixes.get(directory);
    if (known) return known;
    const place = this.#directories.placeOf(directory);
    if (!place) throw catalogDamage('directory');
    const { setId, parent, name } = place;
    // Roots are named by their full paths.
    const path = parent === null ? '' : this.#prefixOf(parent).prefix + name!;
    const found = { setId, prefix: parent === null || path.endsWith('/') ? path : `${path}/` };
    if (this.#prefixes.size >= CACHED) this.#prefixes.clear();
    this.#prefixes.set(directory, found);
    return found;
  }
}

/**
 * Returns the paths that were written or removed after a revision, in order.
 *
 * @returns `undefined` if there are more than `limit`
 */
export function dirtyPathsSince(
  database: CatalogDatabase,
  setId: number,
  revision: number,
  limit: number,
): readonly DirtyPath[] | undefined {
  const rows = database
    .prepare(
      `SELECT key, removed_at > @revision FROM dirty
       WHERE backup_set = @setId AND (written_at > @revision OR removed_at > @revision) ORDER BY key LIMIT @most`,
    )
    .raw()
    .all({ setId, revision, most: limit + 1 }) as [string, number][];
  if (rows.length > limit) return undefined;
  return rows.map(([key, removed]) => ({ path: pathOfSortKey(key), removed: removed === 1 }));
}
