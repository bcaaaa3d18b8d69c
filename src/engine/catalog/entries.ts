import type { KnownPiece } from '../tree/piece.ts';
import { CommittedTrees, type CommittedTree } from './committed-tree.ts';
import { DamagedChunks } from './damaged-chunks.ts';
import type { CatalogDatabase } from './database.ts';
import { Directories } from './directories.ts';
import { DirtyPaths } from './dirty-paths.ts';
import { FILE, type CatalogEntry, type KnownEntry } from './entry.ts';
import { packEntry, type KeptVersion, type PackedEntry } from './entry-record.ts';
import { WriteBatch } from './write-batch.ts';

export { DIRECTORY, FILE, SYMLINK } from './entry.ts';
export type { CatalogEntry, EntryKind, KnownEntry } from './entry.ts';

/** The last known state of one root of a set. */
export interface KnownRoot {
  readonly path: string;
  readonly mountPoint: boolean;
  readonly entries: number;
}

/** A run of a set: its number distinguishes what it writes from the newest restore point. */
export interface SetRun {
  readonly setId: number;
  readonly run: number;
  /** The directory that holds the roots, named by their full paths. */
  readonly rootsDirectory: number;
}

/** Entries of one directory that are read at a time. */
const PAGE_ENTRIES = 1024;

/** Stores the last known entries of all sets, each directory's in the order of their names' bytes. */
export class CatalogEntries {
  readonly dirty: DirtyPaths;
  readonly trees: CommittedTrees;
  readonly damaged: DamagedChunks;
  readonly #database: CatalogDatabase;
  readonly #directories: Directories;
  readonly #batch: WriteBatch;

  constructor(database: CatalogDatabase) {
    this.#database = database;
    this.#directories = new Directories(database);
    this.#batch = new WriteBatch(database, this.#directories);
    this.dirty = new DirtyPaths(database, this.#directories);
    this.trees = new CommittedTrees(database);
    this.damaged = new DamagedChunks(database);
  }

  /** Starts a run. Its number is greater than every earlier one, committed or not. */
  beginRun(setName: string): SetRun {
    this.flush();
    this.#batch.reset();
    this.dirty.clearCache();
    return this.#database.transaction((): SetRun => {
      this.#database.prepare('INSERT OR IGNORE INTO backup_set (name) VALUES (?)').run(setName);
      const row = this.#database
        .prepare('UPDATE backup_set SET run = run + 1 WHERE name = ? RETURNING id, run')
        .get(setName) as { id: number; run: number };
      return { setId: row.id, run: row.run, rootsDirectory: this.#rootsDirectory(row.id) };
    })();
  }

  /** Returns the last run of a set, or `undefined` if there was none. */
  findSet(setName: string): SetRun | undefined {
    this.flush();
    const row = this.#database.prepare('SELECT id, run FROM backup_set WHERE name = ?').get(setName) as
      | { id: number; run: number }
      | undefined;
    return row && { setId: row.id, run: row.run, rootsDirectory: this.#rootsDirectory(row.id) };
  }

  committedRun(setId: number): number {
    const row = this.#database.prepare('SELECT committed_run AS run FROM backup_set WHERE id = ?').get(setId);
    return (row as { run: number }).run;
  }

  knownRoots(setId: number): ReadonlyMap<string, KnownRoot> {
    const rows = this.#database
      .prepare('SELECT path, mount_point AS mountPoint, entries FROM root WHERE backup_set = ?')
      .all(setId) as { path: string; mountPoint: number; entries: number }[];
    return new Map(rows.map((row) => [row.path, { ...row, mountPoint: row.mountPoint === 1 }]));
  }

  /**
   * Makes what `run` wrote the last known state, and stores its roots and its tree.
   *
   * @param tree `undefined` if the next run has to write a full tree
   */
  commitRun(run: SetRun, roots: readonly KnownRoot[], tree?: CommittedTree, pieces: readonly KnownPiece[] = []): void {
    this.flush();
    this.#batch.throwIfFailed();
    this.#database.transaction(() => {
      this.dirty.clear(run.setId);
      this.trees.replace(run.setId, tree, pieces);
      this.#database.prepare('UPDATE backup_set SET committed_run = ? WHERE id = ?').run(run.run, run.setId);
      this.#database.prepare('DELETE FROM root WHERE backup_set = ?').run(run.setId);
      const insert = this.#database.prepare(
        'INSERT INTO root (backup_set, path, mount_point, entries) VALUES (?, ?, ?, ?)',
      );
      for (const root of roots) {
        insert.run(run.setId, root.path, root.mountPoint ? 1 : 0, root.entries);
      }
    })();
  }

  removeSet(setName: string): void {
    this.flush();
    this.#database.prepare('DELETE FROM backup_set WHERE name = ?').run(setName);
    this.dirty.clearCache();
  }

  /**
   * Deletes the entries of all sets, for a destination that has nothing of them: the next run of each reads everything.
   * Keeps the roots, so that one that is suddenly empty is still noticed.
   */
  clear(): void {
    this.flush();
    this.#database.transaction(() => {
      for (const table of ['directory', 'dirty', 'committed_tree', 'tree_piece', 'damaged_chunk']) {
        this.#database.prepare(`DELETE FROM ${table}`).run();
      }
      this.#database.prepare('UPDATE backup_set SET committed_run = 0').run();
    })();
    this.dirty.clearCache();
  }

  /** Returns all entries of a directory, by name. */
  children(directory: number): KnownEntry[] {
    return this.#directories.read(directory, '', Number.POSITIVE_INFINITY);
  }

  /** Iterates over the entries in pages. The caller may write an entry before it takes the next one. */
  eachChild(directory: number): Iterable<KnownEntry> {
    const page = this.#directories.read(directory, '', PAGE_ENTRIES);
    return page.length < PAGE_ENTRIES ? page : this.#pagesFrom(directory, page);
  }

  /** Returns at most `limit` entries of a directory after `after` (`''` is before all). */
  page(directory: number, after: string, limit: number): CatalogEntry[] {
    return this.#directories.read(directory, after, limit);
  }

  find(directory: number, name: string): CatalogEntry | undefined {
    return this.#directories.find(directory, name);
  }

  newDirectory(run: SetRun): number {
    return this.#batch.write(() => this.#directories.create(run.setId));
  }

  put(directory: number, entry: CatalogEntry, run: SetRun, committed: number): void {
    this.#batch.write(() => {
      const before = this.#directories.findToWrite(directory, entry.name);
      // The version of the newest restore point is kept when the first newer one replaces it.
      const kept = before && (before.run <= committed ? versionOf(before) : before.kept);
      this.#directories.put(directory, entry.name, packEntry(entry, run.run, kept), entry.child);
      if (committed > 0) this.dirty.written(directory, entry.name);
    });
  }

  /**
   * Removes an entry and everything below it.
   *
   * @param child its directory, if it is the entry of one
   */
  remove(directory: number, name: string, child: number | null): void {
    this.#batch.write(() => {
      this.dirty.removing(directory, name, child !== null);
      // In one transaction: the id of a directory without its entry could be reused.
      if (child !== null) this.#directories.removeTree(child);
      this.#directories.remove(directory, name);
    });
  }

  /**
   * Reverts a file to its version in the newest restore point.
   *
   * @returns whether there is such a version; if not, the entry is removed
   */
  revert(directory: number, name: string, committed: number): boolean {
    return this.#batch.write(() => {
      const entry = this.#directories.findToWrite(directory, name);
      if (!entry || entry.run <= committed) return entry !== undefined;
      const { kind, child, detail, kept } = entry;
      if (kind !== FILE || !kept) {
        this.#directories.remove(directory, name);
        return false;
      }
      const record = packEntry({ name, kind, child, detail, ...kept }, committed, undefined);
      this.#directories.put(directory, name, record, child);
      return true;
    });
  }

  flush(): void {
    this.#batch.flush();
  }

  *#pagesFrom(directory: number, first: readonly PackedEntry[]): Generator<KnownEntry> {
    for (let page = first; page.length > 0;) {
      yield* page;
      page = page.length < PAGE_ENTRIES ? [] : this.#directories.read(directory, page.at(-1)!.name, PAGE_ENTRIES);
    }
  }

  #rootsDirectory(setId: number): number {
    const first = this.#database
      .prepare('SELECT id FROM directory WHERE backup_set = ? ORDER BY id LIMIT 1')
      .get(setId) as { id: number } | undefined;
    if (first) return first.id;
    const insert = this.#database.prepare(`INSERT INTO directory (backup_set, split, entries) VALUES (?, 0, x'')`);
    return Number(insert.run(setId).lastInsertRowid);
  }
}

function versionOf({ stat, chunks }: PackedEntry): KeptVersion | undefined {
  return chunks ? { stat, chunks } : undefined;
}
