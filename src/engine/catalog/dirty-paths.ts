import type { Statement } from 'better-sqlite3';
import { pathOfSortKey, pathSortKey } from '../../protocol/path.ts';
import type { CatalogDatabase } from './database.ts';

/** A path at which the catalog may differ from the newest restore point. */
export interface DirtyPath {
  /** Clear entry path. */
  readonly path: string;
  /** Whether its entry was gone at some time since, with everything below it. What is there now was written after that. */
  readonly removed: boolean;
}

/** Directories whose paths are remembered. */
const REMEMBERED = 4096;

/** Notes where the catalog is written, so that the next restore point can be told by its differences. */
export class DirtyPaths {
  readonly #isCommitted: Statement<[number], number>;
  readonly #parent: Statement<[number], [directory: number, name: string]>;
  readonly #mark: Statement<[string, number, number]>;
  readonly #page: Statement<[number, number], [key: string, removed: number]>;
  readonly #clear: Statement<[number]>;
  /** What stands before the names in a directory. */
  readonly #prefixes = new Map<number, string>();

  constructor(database: CatalogDatabase) {
    this.#isCommitted = database
      .prepare<[number], number>(
        `SELECT 1 FROM directory d JOIN backup_set s ON s.id = d.backup_set WHERE d.id = ? AND s.committed_run > 0`,
      )
      .pluck();
    this.#parent = database.prepare('SELECT directory, name FROM entry WHERE child = ?').raw() as unknown as Statement<
      [number],
      [number, string]
    >;
    this.#mark = database.prepare(
      `INSERT INTO dirty (backup_set, key, removed) SELECT backup_set, ?, ? FROM directory WHERE id = ?
       ON CONFLICT (backup_set, key) DO UPDATE SET removed = max(removed, excluded.removed)`,
    );
    this.#page = database
      .prepare('SELECT key, removed FROM dirty WHERE backup_set = ? ORDER BY key LIMIT ?')
      .raw() as unknown as Statement<[number, number], [string, number]>;
    this.#clear = database.prepare('DELETE FROM dirty WHERE backup_set = ?');
  }

  /** The entry was written. To be called within the transaction that writes it. */
  written(directory: number, name: string): void {
    this.#mark.run(pathSortKey(this.#prefixOf(directory) + name), 0, directory);
  }

  /** The entry is going to be removed, with all below it; it has to be there still. */
  removing(directory: number, name: string, isDirectory: boolean): void {
    if (this.#isCommitted.get(directory) !== undefined) {
      this.#mark.run(pathSortKey(this.#prefixOf(directory) + name), 1, directory);
    }
    // The numbers of directories that are gone are given out again.
    if (isDirectory) this.#prefixes.clear();
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
    this.#prefixes.clear();
  }

  #prefixOf(directory: number): string {
    const known = this.#prefixes.get(directory);
    if (known !== undefined) return known;
    const parent = this.#parent.get(directory);
    // The roots are named by their whole paths.
    const path = parent ? this.#prefixOf(parent[0]) + parent[1] : '';
    const prefix = parent && !path.endsWith('/') ? `${path}/` : path;
    if (this.#prefixes.size >= REMEMBERED) this.#prefixes.clear();
    this.#prefixes.set(directory, prefix);
    return prefix;
  }
}
