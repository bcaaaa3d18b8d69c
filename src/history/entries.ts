import { pluckOnce, prepareOnce } from '../base/prepared-statements.ts';
import { nameOf, parentOf, pathOfSortKey, pathSortKey } from '../model/entry-path.ts';
import { readablePath } from '../os/filesystem/names/entry-path.ts';
import type { HistoryDatabase } from './database.ts';
import { fold } from './search/fold.ts';
import type { RowSums } from './row-sums.ts';

/** Longest path that is recorded, in UTF-16 code units: far more than any system opens. A tree may have longer ones. */
const MOST_PATH = 65_536;

/** Returns whether a path can be recorded. One with half a surrogate pair is not the same text in SQLite. */
export function isRecordable(path: string): boolean {
  return path.length <= MOST_PATH && path.isWellFormed();
}

/** A part of the path order. */
export interface PathRange {
  /** The path before the first, or that itself if it is included. `undefined` for the beginning. */
  readonly from: { readonly path: string; readonly isIncluded: boolean } | undefined;
  /** Exclusive. `undefined` for the end. */
  readonly to: string | undefined;
}

/** The entries of one folder that are in a range: those with names between two, where each limit may be absent. */
export interface FolderPart {
  readonly folder: number;
  readonly above: string | undefined;
  /** Whether the entry with the name `above` is in the range, too. */
  readonly isAboveIncluded: boolean;
  readonly below: string | undefined;
  readonly isBelowIncluded: boolean;
}

interface FoundFolder {
  readonly path: string;
  readonly id: number;
  readonly isNew: boolean;
}

interface FolderRow {
  readonly id: number;
  readonly key: string;
}

/** The folders and names of all entries, of all sets, and the index of the names. */
export class EntryTable {
  readonly #database: HistoryDatabase;
  readonly #sums: RowSums;
  /** The folder that was found last: consecutive entries are mostly in one folder. */
  #last: FoundFolder | undefined;

  constructor(database: HistoryDatabase, sums: RowSums) {
    this.#database = database;
    this.#sums = sums;
  }

  /** Must be called after each transaction. */
  forgetCached(): void {
    this.#last = undefined;
  }

  folder(path: string): number | undefined {
    return pluckOnce<[string], number>(this.#database, 'SELECT id FROM folder WHERE key = ?').get(pathSortKey(path));
  }

  find(path: string): number | undefined {
    const folder = this.folder(parentOf(path));
    return folder === undefined ? undefined : this.#find(folder, nameOf(path));
  }

  /** Returns the id of an entry, which is added if it is new. */
  add(path: string): { readonly id: number; readonly isNew: boolean } {
    const { id: folder, isNew } = this.#addFolder(parentOf(path));
    const name = nameOf(path);
    const known = isNew ? undefined : this.#find(folder, name);
    if (known !== undefined) return { id: known, isNew: false };
    const folded = fold(readablePath(name));
    const stored = folded === name ? null : folded;
    const { lastInsertRowid } = prepareOnce(
      this.#database,
      'INSERT INTO entry (folder, name, folded) VALUES (?, ?, ?)',
    ).run(folder, name, stored);
    const id = Number(lastInsertRowid);
    prepareOnce(this.#database, 'INSERT INTO name_index (rowid, folded) VALUES (?, ?)').run(id, folded);
    this.#sums.added('entry', id, folder, name, stored);
    return { id, isNew: true };
  }

  remove(id: number): void {
    const row = prepareOnce<[number], { folder: number; name: string; folded: string | null }>(
      this.#database,
      'DELETE FROM entry WHERE id = ? RETURNING folder, name, folded',
    ).get(id);
    if (!row) return;
    const { folder, name, folded } = row;
    this.#sums.removed('entry', id, folder, name, folded);
    prepareOnce(this.#database, "INSERT INTO name_index (name_index, rowid, folded) VALUES ('delete', ?, ?)").run(
      id,
      folded ?? name,
    );
  }

  /** The folders with entries in a range, each with the limits of its names. */
  *partsOf({ from, to }: PathRange): Generator<FolderPart> {
    const parts = (path: string): Omit<FolderPart, 'folder'> => {
      const above = from && childOf(path, from.path);
      const below = to === undefined ? undefined : childOf(path, to);
      return {
        above: above?.name,
        isAboveIncluded: above?.isLast === true && from?.isIncluded === true,
        below: below?.name,
        isBelowIncluded: below?.isLast === false,
      };
    };
    // The folders above the first path have entries after it.
    for (const path of from ? foldersAbove(from.path) : []) {
      const folder = this.folder(path);
      if (folder !== undefined) yield { folder, ...parts(path) };
    }
    const low = from ? pathSortKey(from.path) : '';
    const select = 'SELECT id, key FROM folder WHERE key >= ?';
    const rows =
      to === undefined
        ? prepareOnce<[string], FolderRow>(this.#database, select).all(low)
        : prepareOnce<[string, string], FolderRow>(this.#database, `${select} AND key < ?`).all(low, pathSortKey(to));
    for (const { id, key } of rows) yield { folder: id, ...parts(pathOfSortKey(key)) };
  }

  #addFolder(path: string): FoundFolder {
    if (this.#last?.path === path) return this.#last;
    const known = this.folder(path);
    if (known !== undefined) return (this.#last = { path, id: known, isNew: false });
    const key = pathSortKey(path);
    const folded = fold(readablePath(path));
    const stored = folded === path ? null : folded;
    const { lastInsertRowid } = prepareOnce(this.#database, 'INSERT INTO folder (key, path) VALUES (?, ?)').run(
      key,
      stored,
    );
    const id = Number(lastInsertRowid);
    this.#sums.added('folder', id, key, stored);
    return (this.#last = { path, id, isNew: true });
  }

  #find(folder: number, name: string): number | undefined {
    return pluckOnce<[number, string], number>(
      this.#database,
      'SELECT id FROM entry WHERE folder = ? AND name = ?',
    ).get(folder, name);
  }
}

/** The folders above a path, outermost first. */
function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) folders.push(path.slice(0, end));
  return folders;
}

/** The entry of a folder that is a path or contains it. */
function childOf(folder: string, path: string): { readonly name: string; readonly isLast: boolean } | undefined {
  if (!path.startsWith(folder) || path[folder.length] !== '/') return undefined;
  const end = path.indexOf('/', folder.length + 1);
  return { name: path.slice(folder.length + 1, end === -1 ? undefined : end), isLast: end === -1 };
}
