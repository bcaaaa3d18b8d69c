import Database from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin, nameOf, parentOf } from '../../../model/entry-path.ts';
import type { ListedEntry } from '../../../read/list.ts';
import type { BrowsedEntry, ListingOrder } from '../../../ipc/contract/restore/restore.ts';

const SUFFIX = '.browse';

/** The id of the folder above the roots of a set. */
const TOP = 0;

const SCHEMA = `
  CREATE TABLE folder (id INTEGER PRIMARY KEY, path TEXT NOT NULL, files INTEGER, bytes INTEGER);
  CREATE UNIQUE INDEX folder_path ON folder (path);
  CREATE TABLE entry (id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, path TEXT NOT NULL, type TEXT NOT NULL,
    size INTEGER NOT NULL, modified TEXT NOT NULL);
  CREATE INDEX entry_folder ON entry (folder);
`;

const ROW = `SELECT entry.path, entry.type, entry.size, entry.modified, folder.files, folder.bytes
  FROM entry LEFT JOIN folder ON entry.type = 'directory' AND folder.path = entry.path`;

/** What entries are sorted by. The size of a folder is that of everything below it. */
const SORT_KEYS: Readonly<Record<ListingOrder['by'], string>> = {
  name: 'sort_key(path)',
  size: "CASE type WHEN 'directory' THEN (SELECT bytes FROM folder WHERE folder.path = entry.path) ELSE size END",
  modified: 'modified',
};

interface Row extends ListedEntry {
  /** Totals of a completely read folder. */
  readonly files: number | null;
  readonly bytes: number | null;
}

/** A folder that is being read, with its totals so far. */
interface OpenFolder {
  readonly id: number;
  readonly path: string;
  files: number;
  bytes: number;
}

export interface IndexedRows {
  readonly entries: BrowsedEntry[];
  readonly total: number;
  readonly isSorted: boolean;
}

/** The ids of a folder's rows, in the order in which they are shown. */
interface Listing {
  readonly path: string;
  /** `undefined` for the order in which entries were added. */
  readonly order: ListingOrder | undefined;
  ids: Uint32Array<ArrayBuffer>;
  count: number;
}

/**
 * The tree of a restore point in a temporary database, since a million entries do not fit in memory. Every call blocks: to
 * be used in a thread of its own.
 */
export class RestoreIndex {
  readonly #database: Database.Database;
  readonly #insertFolder: Database.Statement;
  readonly #insertEntry: Database.Statement;
  readonly #findFolder: Database.Statement;
  readonly #countFolder: Database.Statement;
  readonly #findRow: Database.Statement;
  readonly #listings = new Map<number, Listing>();
  /** The folders above the last entry, outermost first. */
  readonly #ancestors: OpenFolder[] = [];
  #root: string | undefined;
  #nextListing = 1;

  /** @param scratch folder of the file, which is unlinked while it is open, so that a kill leaves nothing */
  constructor(scratch: string) {
    removeLeftOvers(scratch);
    const file = join(scratch, `${randomUUID()}${SUFFIX}`);
    this.#database = new Database(file);
    for (const pragma of [
      'journal_mode = MEMORY',
      'synchronous = OFF',
      'locking_mode = EXCLUSIVE',
      'cache_size = -8192',
    ]) {
      this.#database.pragma(pragma);
    }
    this.#database.exec(SCHEMA);
    removeQuietly(file);
    this.#insertFolder = this.#database.prepare('INSERT INTO folder VALUES (NULL, ?, NULL, NULL)');
    this.#insertEntry = this.#database.prepare('INSERT INTO entry VALUES (NULL, ?, ?, ?, ?, ?)');
    this.#countFolder = this.#database.prepare('UPDATE folder SET files = ?, bytes = ? WHERE id = ?');
    this.#findRow = this.#database.prepare(`${ROW} WHERE entry.id = ?`);
    this.#findFolder = this.#database.prepare('SELECT id FROM folder WHERE path = ?').pluck();
  }

  /** Adds entries, in path order. */
  add(entries: readonly ListedEntry[]): void {
    this.#database.transaction(() => {
      for (const entry of entries) this.#addEntry(entry);
    })();
  }

  /** Must be called after the last entry. */
  finish(): void {
    this.#database.transaction(() => this.#completeUpTo(undefined))();
  }

  /** Returns the entries of the paths that exist. */
  find(paths: readonly string[]): readonly BrowsedEntry[] {
    const inFolder = this.#database.prepare(
      `${ROW} WHERE entry.folder = ? AND entry.path IN (SELECT value FROM json_each(?))`,
    );
    // Each root is listed at the top level, whatever its path.
    const byFolder = new Map<number, readonly string[]>([[TOP, paths]]);
    for (const [parent, names] of Map.groupBy(paths, parentOf)) {
      const folder = parent === '' ? undefined : this.#folderOf(parent);
      if (folder !== undefined) byFolder.set(folder, names);
    }
    return [...byFolder].flatMap(([folder, wanted]) =>
      (inFolder.all(folder, JSON.stringify(wanted)) as Row[]).map(entryOf),
    );
  }

  /** Deletes the database. */
  end(): void {
    this.#database.close();
  }

  /**
   * Opens a folder.
   *
   * @param order of folders, and of everything else behind them; requires that the folder is completely read. Without it, rows
   *   are in the order in which they were added.
   */
  open(path: string, order: ListingOrder | undefined): number {
    const listing = this.#nextListing;
    this.#nextListing += 1;
    this.#listings.set(listing, { path, order, ids: new Uint32Array(0), count: 0 });
    return listing;
  }

  close(listing: number): void {
    this.#listings.delete(listing);
  }

  /** Returns whether the folder or an entry in it was added. */
  has(path: string): boolean {
    return this.#folderOf(path) !== undefined;
  }

  /** A row keeps its place as long as the listing is open. */
  rows(number: number, from: number, count: number): IndexedRows {
    const listing = this.#listings.get(number);
    if (!listing) return { entries: [], total: 0, isSorted: false };
    this.#takeNew(listing);
    const ids = listing.ids.subarray(Math.min(from, listing.count), Math.min(from + count, listing.count));
    const entries = Array.from(ids, (id) => entryOf(this.#findRow.get(id) as Row));
    return { entries, total: listing.count, isSorted: listing.order !== undefined };
  }

  /** Finds the next row from `from` on whose name begins with a text, in any case, and wraps around. */
  jump(number: number, start: string, from: number): number | undefined {
    const listing = this.#listings.get(number);
    if (!listing) return undefined;
    this.#takeNew(listing);
    const { ids, count } = listing;
    const wanted = start.toLocaleLowerCase();
    const pathOf = this.#database.prepare<[number], string>('SELECT path FROM entry WHERE id = ?').pluck();
    for (let step = 0; step < count; step += 1) {
      const row = (from + step) % count;
      if (nameOf(pathOf.get(ids[row]!)!).toLocaleLowerCase().startsWith(wanted)) return row;
    }
    return undefined;
  }

  #addEntry({ path, type, size, modified }: ListedEntry): void {
    // Each root is listed at the top level, whatever its path.
    if (this.#root === undefined || !isWithin(path, this.#root)) {
      this.#root = path;
      this.#completeUpTo(undefined);
    }
    this.#completeUpTo(parentOf(path));
    const folder = this.#ancestors.at(-1);
    this.#insertEntry.run(folder?.id ?? TOP, path, type, size, modified);
    if (type === 'directory') {
      const id = Number(this.#insertFolder.run(path).lastInsertRowid);
      this.#ancestors.push({ id, path, files: 0, bytes: 0 });
    } else if (folder && type === 'file') {
      folder.files += 1;
      folder.bytes += size;
    }
  }

  /** Completes the folders below a parent, and adds their totals to those above. */
  #completeUpTo(parent: string | undefined): void {
    while (this.#ancestors.length > 0 && this.#ancestors.at(-1)!.path !== parent) {
      const { id, files, bytes } = this.#ancestors.pop()!;
      this.#countFolder.run(files, bytes, id);
      const above = this.#ancestors.at(-1);
      if (!above) continue;
      above.files += files;
      above.bytes += bytes;
    }
  }

  #folderOf(path: string): number | undefined {
    return path === '' ? TOP : (this.#findFolder.get(path) as number | undefined);
  }

  #takeNew(listing: Listing): void {
    const { order } = listing;
    if (order && listing.count > 0) return;
    const folder = this.#folderOf(listing.path);
    if (folder === undefined) return;
    if (order) this.#sort(listing, folder, order);
    else this.#append(listing, folder);
  }

  #append(listing: Listing, folder: number): void {
    const last = listing.count === 0 ? 0 : listing.ids[listing.count - 1]!;
    const found = this.#database.prepare('SELECT id FROM entry WHERE folder = ? AND id > ? ORDER BY id').pluck();
    for (const id of found.iterate(folder, last)) put(listing, id as number);
  }

  #sort(listing: Listing, folder: number, { by, isDescending }: ListingOrder): void {
    this.#database.function('sort_key', { deterministic: true }, (path) => sortKey(nameOf(path as string)));
    const sorted = this.#database
      .prepare(
        `SELECT id FROM entry WHERE folder = ?
           ORDER BY type <> 'directory', ${SORT_KEYS[by]} ${isDescending ? 'DESC' : 'ASC'}, sort_key(path), id`,
      )
      .pluck();
    for (const id of sorted.iterate(folder)) put(listing, id as number);
  }
}

function entryOf({ files, bytes, ...entry }: Row): BrowsedEntry {
  const within = files === null || bytes === null ? {} : { within: { files, bytes } };
  return { ...entry, name: nameOf(entry.path), ...within };
}

function put(listing: Listing, id: number): void {
  if (listing.count === listing.ids.length) {
    const larger = new Uint32Array(Math.max(256, listing.ids.length * 2));
    larger.set(listing.ids);
    listing.ids = larger;
  }
  listing.ids[listing.count] = id;
  listing.count += 1;
}

/**
 * Returns a key whose byte order is that of names as people expect it: without regard to case and accents, and numbers by
 * value. A number begins with its count of digits, encoded so that it sorts before letters, as digits do in ASCII.
 */
export function sortKey(name: string): string {
  const plain = /^[ -~]*$/.test(name) ? name : name.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return plain.toLowerCase().replaceAll(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '');
    return String.fromCharCode(0x2f + Math.min(number.length, 0x30)) + number;
  });
}

function removeLeftOvers(folder: string): void {
  for (const name of readdirSync(folder)) if (name.endsWith(SUFFIX)) removeQuietly(join(folder, name));
}

/** On Windows an open file cannot be deleted; the next index deletes it. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It is open.
  }
}
