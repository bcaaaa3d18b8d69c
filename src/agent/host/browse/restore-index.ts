import Database from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin, nameOf, parentOf } from '../../../protocol/path.ts';
import type { ListedEntry } from '../../../engine/restore/types.ts';
import type { BrowsedEntry } from '../../../ipc/contract/restore.ts';

const SUFFIX = '.browse';

/** Above the roots of a set. */
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

interface Row extends ListedEntry {
  /** Of a folder that is whole. */
  readonly files: number | null;
  readonly bytes: number | null;
}

/** A folder that is being read, and what it holds so far. */
interface OpenFolder {
  readonly id: number;
  readonly path: string;
  files: number;
  bytes: number;
}

export interface IndexedRows {
  readonly entries: BrowsedEntry[];
  readonly total: number;
}

/** The rows of a folder in the order in which they are shown, by their ids. */
interface Listing {
  readonly path: string;
  readonly isSorted: boolean;
  ids: Uint32Array<ArrayBuffer>;
  count: number;
}

/**
 * The tree of a restore point, folder by folder: a million entries do not fit in memory. A scratch file that nobody else
 * sees. Every call blocks, so that it belongs into a thread of its own.
 */
export class RestoreIndex {
  readonly #database: Database.Database;
  readonly #insertFolder: Database.Statement;
  readonly #insertEntry: Database.Statement;
  readonly #findFolder: Database.Statement;
  readonly #countFolder: Database.Statement;
  readonly #findRow: Database.Statement;
  readonly #listings = new Map<number, Listing>();
  /** The folders that lead to the entry that came last, outermost first. */
  readonly #way: OpenFolder[] = [];
  #root: string | undefined;
  #nextListing = 1;

  /** @param scratch for the file, which has no name as long as it is open, so that a kill leaves nothing */
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

  /** Takes entries in path order. */
  add(entries: readonly ListedEntry[]): void {
    this.#database.transaction(() => {
      for (const entry of entries) this.#addEntry(entry);
    })();
  }

  /** After the last entry: no folder gets any more. */
  finish(): void {
    this.#database.transaction(() => this.#leaveTo(undefined))();
  }

  /** Those of the paths that there are. */
  find(paths: readonly string[]): readonly BrowsedEntry[] {
    const inFolder = this.#database.prepare(
      `${ROW} WHERE entry.folder = ? AND entry.path IN (SELECT value FROM json_each(?))`,
    );
    // A root stands at the top, whatever folders lead to it.
    const byFolder = new Map<number, readonly string[]>([[TOP, paths]]);
    for (const [parent, names] of Map.groupBy(paths, parentOf)) {
      const folder = parent === '' ? undefined : this.#folderOf(parent);
      if (folder !== undefined) byFolder.set(folder, names);
    }
    return [...byFolder].flatMap(([folder, wanted]) =>
      (inFolder.all(folder, JSON.stringify(wanted)) as Row[]).map(entryOf),
    );
  }

  /** Its file goes too. */
  end(): void {
    this.#database.close();
  }

  /**
   * Opens a folder for its rows.
   *
   * @param isSorted folders first, each kind by name as people count, which needs all of its entries; else in the order
   *   in which they come
   */
  open(path: string, isSorted: boolean): number {
    const listing = this.#nextListing;
    this.#nextListing += 1;
    this.#listings.set(listing, { path, isSorted, ids: new Uint32Array(0), count: 0 });
    return listing;
  }

  close(listing: number): void {
    this.#listings.delete(listing);
  }

  /** Whether entries have come of the folder, or it itself has. */
  has(path: string): boolean {
    return this.#folderOf(path) !== undefined;
  }

  /** A row keeps its place as long as the listing is open. */
  rows(number: number, from: number, count: number): IndexedRows {
    const listing = this.#listings.get(number);
    if (!listing) return { entries: [], total: 0 };
    this.#takeNew(listing);
    const ids = listing.ids.subarray(Math.min(from, listing.count), Math.min(from + count, listing.count));
    const entries = Array.from(ids, (id) => entryOf(this.#findRow.get(id) as Row));
    return { entries, total: listing.count };
  }

  #addEntry({ path, type, size, modified }: ListedEntry): void {
    // Each root is shown at the top, whatever folders lead to it.
    if (this.#root === undefined || !isWithin(path, this.#root)) {
      this.#root = path;
      this.#leaveTo(undefined);
    }
    this.#leaveTo(parentOf(path));
    const folder = this.#way.at(-1);
    this.#insertEntry.run(folder?.id ?? TOP, path, type, size, modified);
    if (type === 'directory') {
      const id = Number(this.#insertFolder.run(path).lastInsertRowid);
      this.#way.push({ id, path, files: 0, bytes: 0 });
    } else if (folder && type === 'file') {
      folder.files += 1;
      folder.bytes += size;
    }
  }

  /** Up to the folder that holds what comes next: those that are left are whole, and count in the one above. */
  #leaveTo(parent: string | undefined): void {
    while (this.#way.length > 0 && this.#way.at(-1)!.path !== parent) {
      const { id, files, bytes } = this.#way.pop()!;
      this.#countFolder.run(files, bytes, id);
      const above = this.#way.at(-1);
      if (!above) continue;
      above.files += files;
      above.bytes += bytes;
    }
  }

  #folderOf(path: string): number | undefined {
    return path === '' ? TOP : (this.#findFolder.get(path) as number | undefined);
  }

  #takeNew(listing: Listing): void {
    if (listing.isSorted && listing.count > 0) return;
    const folder = this.#folderOf(listing.path);
    if (folder === undefined) return;
    if (listing.isSorted) this.#sort(listing, folder);
    else this.#append(listing, folder);
  }

  #append(listing: Listing, folder: number): void {
    const last = listing.count === 0 ? 0 : listing.ids[listing.count - 1]!;
    const found = this.#database.prepare('SELECT id FROM entry WHERE folder = ? AND id > ? ORDER BY id').pluck();
    for (const id of found.iterate(folder, last)) put(listing, id as number);
  }

  #sort(listing: Listing, folder: number): void {
    this.#database.function('sort_key', { deterministic: true }, (path) => sortKey(nameOf(path as string)));
    const sorted = this.#database
      .prepare("SELECT id FROM entry WHERE folder = ? ORDER BY type <> 'directory', sort_key(path), id")
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
 * A text whose byte order is the one that people expect of names: whatever the case and the accents, and numbers by their
 * value. Digits begin with their count, and stand before letters as they do in ASCII.
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

/** Windows keeps a file that is open; the next index removes it then. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It is in use.
  }
}
