import { pluckOnce, prepareOnce } from '../base/prepared-statements.ts';
import { nameOf, parentOf, pathSortKey, withoutTrailingSlash } from '../model/entry-path.ts';
import type { HistoryDatabase } from './database.ts';
import { KINDS, type EntryKind } from './version-row.ts';

/** An entry of a restore point. */
export interface PointEntry {
  /** Entry path. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

interface Row {
  readonly name: string;
  readonly kind: number;
  readonly size: number;
  readonly modified: number;
}

/** A folder whose entries are being read, in pages. */
interface OpenFolder {
  readonly path: string;
  rows: readonly Row[];
  /** The next of the rows. */
  at: number;
  isAtEnd: boolean;
}

/** Rows of a folder that are read at a time. */
const PAGE = 1_000;

const ENTRIES = 'SELECT entry.name, v.kind, v.size, v.modified FROM entry JOIN version AS v ON v.entry = entry.id';
const AT = 'v.source = ? AND v.low < ? AND v.high > ?';

/** All entries of a restore point in path order, in batches: a million of them are never in memory. */
export class PointTree {
  readonly #source: number;
  readonly #time: number;
  /** From a root to the folder that is being read. */
  readonly #open: OpenFolder[] = [];
  readonly #roots: string[];

  /** @param roots of the set at that time, in path order */
  constructor(source: number, time: number, roots: readonly string[]) {
    this.#source = source;
    this.#time = time;
    this.#roots = roots.map(withoutTrailingSlash).toReversed();
  }

  /** Returns the next entries, `count` at most; none at the end. Each call may be in a transaction of its own. */
  next(database: HistoryDatabase, count: number): readonly PointEntry[] {
    const entries: PointEntry[] = [];
    while (entries.length < count) {
      const folder = this.#open.at(-1);
      const found = folder ? this.#nextIn(database, folder) : this.#nextRoot(database);
      if (found === 'end') {
        if (!folder) break;
        this.#open.pop();
        continue;
      }
      if (found.kind === 'directory') this.#enter(found.path);
      // The root of a whole disk is the level above all entries.
      if (found.path !== '') entries.push(found);
    }
    return entries;
  }

  #enter(path: string): void {
    this.#open.push({ path, rows: [], at: 0, isAtEnd: false });
  }

  #nextRoot(database: HistoryDatabase): PointEntry | 'end' {
    for (let root = this.#roots.pop(); root !== undefined; root = this.#roots.pop()) {
      if (root === '') return { path: '', kind: 'directory', size: 0, modified: 0 };
      const row = prepareOnce<unknown[], Row>(
        database,
        `${ENTRIES} WHERE entry.folder = ? AND entry.name = ? AND ${AT}`,
      ).get(folderId(database, parentOf(root)), nameOf(root), this.#source, this.#time, this.#time);
      if (row) return entryOf(root, row);
    }
    return 'end';
  }

  #nextIn(database: HistoryDatabase, folder: OpenFolder): PointEntry | 'end' {
    if (folder.at === folder.rows.length && !folder.isAtEnd) this.#readPage(database, folder);
    const row = folder.rows[folder.at];
    if (!row) return 'end';
    folder.at += 1;
    return entryOf(`${folder.path}/${row.name}`, row);
  }

  #readPage(database: HistoryDatabase, folder: OpenFolder): void {
    const after = folder.rows.at(-1)?.name ?? '';
    folder.rows = prepareOnce<unknown[], Row>(
      database,
      `${ENTRIES} WHERE entry.folder = ? AND entry.name > ? AND ${AT} ORDER BY entry.name LIMIT ${PAGE}`,
    ).all(folderId(database, folder.path), after, this.#source, this.#time, this.#time);
    folder.at = 0;
    folder.isAtEnd = folder.rows.length < PAGE;
  }
}

/** Returns -1, which no folder has, for one that is not known. */
function folderId(database: HistoryDatabase, path: string): number {
  return pluckOnce<[string], number>(database, 'SELECT id FROM folder WHERE key = ?').get(pathSortKey(path)) ?? -1;
}

function entryOf(path: string, { kind, size, modified }: Row): PointEntry {
  return { path, kind: KINDS[kind]!, size, modified };
}
