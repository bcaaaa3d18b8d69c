import type { Statement } from 'better-sqlite3';
import { pathOfSortKey, pathSortKey } from '../../protocol/path.ts';
import type { CatalogDatabase } from './database.ts';
import type { Directories } from './directories.ts';

/** A path at which the catalog may differ from the newest restore point. */
export interface DirtyPath {
  /** Clear entry path. */
  readonly path: string;
  /** Whether its entry was gone at some time since, with everything below it. What is there now was written after that. */
  readonly removed: boolean;
}

/** Directories whose paths are remembered. */
const REMEMBERED = 4096;

interface DirectoryPrefix {
  readonly setId: number;
  /** What stands before the names in the directory. */
  readonly prefix: string;
}

/** Notes where the catalog is written, so that the next restore point can be told by its differences. */
export class DirtyPaths {
  readonly #directories: Directories;
  readonly #committedRun: Statement<[number], number>;
  readonly #mark: Statement<[number, string, number]>;
  readonly #page: Statement<[number, number], [key: string, removed: number]>;
  readonly #clear: Statement<[number]>;
  readonly #remembered = new Map<number, DirectoryPrefix>();

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

  /** The entry was written. To be called within the transaction that writes it. */
  written(directory: number, name: string): void {
    const { setId, prefix } = this.#prefixOf(directory);
    this.#mark.run(setId, pathSortKey(prefix + name), 0);
  }

  /** The entry is going to be removed, with all below it; it has to be there still. */
  removing(directory: number, name: string, isDirectory: boolean): void {
    const { setId, prefix } = this.#prefixOf(directory);
    if (this.#committedRun.get(setId) !== 0) this.#mark.run(setId, pathSortKey(prefix + name), 1);
    // The numbers of directories that are gone are given out again.
    if (isDirectory) this.#remembered.clear();
  }

  /** In path order; nothing where there are more than `most`. */
  list(setId: number, most: number): readonly DirtyPath[] | undefined {
    const rows = this.#page.all(setId, most + 1);
    if (rows.length > most) return undefined;
    return rows.map(([key, removed]) => ({ path: pathOfSortKey(key), removed: removed === 1 }));
  }

  clear(setId: number): void {
    this.#clear.run(setId);
  }

  /** What was remembered may no longer hold: another set was removed, or a transaction was. */
  forget(): void {
    this.#remembered.clear();
  }

  #prefixOf(directory: number): DirectoryPrefix {
    const known = this.#remembered.get(directory);
    if (known) return known;
    const place = this.#directories.placeOf(directory);
    if (!place) throw new Error(`the catalog has no directory ${directory}`);
    const { setId, parent, name } = place;
    // The roots are named by their whole paths.
    const path = parent === null ? '' : this.#prefixOf(parent).prefix + name!;
    const found = { setId, prefix: parent === null || path.endsWith('/') ? path : `${path}/` };
    if (this.#remembered.size >= REMEMBERED) this.#remembered.clear();
    this.#remembered.set(directory, found);
    return found;
  }
}
