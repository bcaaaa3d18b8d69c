import type { Statement } from 'better-sqlite3';
import { pathOfSortKey, pathSortKey } from '../../protocol/path.ts';
import type { CatalogDatabase } from './database.ts';
import type { Directories } from './directories.ts';

/** A path at which the catalog may differ from the newest restore point. */
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

/** Records which paths of the catalog change, so that the next restore point can be sent as differences. */
export class DirtyPaths {
  readonly #directories: Directories;
  readonly #committedRun: Statement<[number], number>;
  readonly #mark: Statement<[number, string, number]>;
  readonly #page: Statement<[number, number], [key: string, removed: number]>;
  readonly #clear: Statement<[number]>;
  readonly #prefixes = new Map<number, DirectoryPrefix>();

  constructor(database: CatalogDatabase, directories: Directories) {
    this.#directories = directories;
    this.#committedRun = database
      .prepare<[number], number>('SELECT committed_run FROM backup_set WHERE id = ?')
      .pluck();
    this.#mark = database.prepare(
      `INSERT INTO dirty (backup_set, key, removed) VALUES (?, ?, ?)
       ON CONFLICT (backup_set, key) DO UPDATE SET removed = max(removed, excluded.removed)`,
    );
    this.#page = database
      .prepare('SELECT key, removed FROM dirty WHERE backup_set = ? ORDER BY key LIMIT ?')
      .raw() as unknown as Statement<[number, number], [string, number]>;
    this.#clear = database.prepare('DELETE FROM dirty WHERE backup_set = ?');
  }

  /** Must be called in the transaction that writes the entry. */
  written(directory: number, name: string): void {
    const { setId, prefix } = this.#prefixOf(directory);
    this.#mark.run(setId, pathSortKey(prefix + name), 0);
  }

  /** Must be called before an entry is removed with everything below it. */
  removing(directory: number, name: string, isDirectory: boolean): void {
    const { setId, prefix } = this.#prefixOf(directory);
    if (this.#committedRun.get(setId) !== 0) this.#mark.run(setId, pathSortKey(prefix + name), 1);
    // The ids of removed directories are reused.
    if (isDirectory) this.#prefixes.clear();
  }

  /** Returns the paths in order, or `undefined` if there are more than `limit`. */
  list(setId: number, limit: number): readonly DirtyPath[] | undefined {
    const rows = this.#page.all(setId, limit + 1);
    if (rows.length > limit) return undefined;
    return rows.map(([key, removed]) => ({ path: pathOfSortKey(key), removed: removed === 1 }));
  }

  clear(setId: number): void {
    this.#clear.run(setId);
  }

  /** Must be called when cached paths may have changed: a set was removed, or a transaction rolled back. */
  clearCache(): void {
    this.#prefixes.clear();
  }

  #prefixOf(directory: number): DirectoryPrefix {
    const known = this.#prefixes.get(directory);
    if (known) return known;
    const place = this.#directories.placeOf(directory);
    if (!place) throw new Error(`the catalog has no directory ${directory}`);
    const { setId, parent, name } = place;
    // Roots are named by their full paths.
    const path = parent === null ? '' : this.#prefixOf(parent).prefix + name!;
    const found = { setId, prefix: parent === null || path.endsWith('/') ? path : `${path}/` };
    if (this.#prefixes.size >= CACHED) this.#prefixes.clear();
    this.#prefixes.set(directory, found);
    return found;
  }
}
