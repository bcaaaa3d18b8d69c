import type { Statement } from 'better-sqlite3';
import type { KnownPiece } from '../tree/known-piece.ts';
import { CommittedTrees, type CommittedTree } from './committed-tree.ts';
import type { CatalogDatabase } from './database.ts';
import { DirtyPaths } from './dirty-paths.ts';
import { WriteBatch } from './write-batch.ts';

export const FILE = 1;
export const DIRECTORY = 2;
export const SYMLINK = 3;
export type EntryKind = typeof FILE | typeof DIRECTORY | typeof SYMLINK;

/** What a scan compares with the disk. */
export interface KnownEntry {
  readonly name: string;
  readonly kind: EntryKind;
  readonly stat: Buffer;
  readonly child: number | null;
}

/** All that is known of an entry. */
export interface CatalogEntry extends KnownEntry {
  readonly detail: string | null;
  readonly chunks: Buffer | null;
}

/** The last known state of one root of a set. */
export interface KnownRoot {
  readonly path: string;
  readonly mountPoint: boolean;
  readonly entries: number;
}

/** A set under backup: what this run writes is told apart from what the newest restore point holds. */
export interface SetRun {
  readonly setId: number;
  readonly run: number;
  /** The directory that holds the roots, named by their whole paths. */
  readonly rootsDirectory: number;
}

type Row = [name: string, kind: EntryKind, stat: Buffer, child: number | null];
type FullRow = [...Row, detail: string | null, chunks: Buffer | null];

/** The entries of all sets as they were last seen, each directory's in the order of their names' bytes. */
export class CatalogEntries {
  readonly dirty: DirtyPaths;
  readonly trees: CommittedTrees;
  readonly #database: CatalogDatabase;
  readonly #batch: WriteBatch;
  readonly #children: Statement<[number], Row>;
  readonly #page: Statement<[number, string, number], FullRow>;
  readonly #one: Statement<[number, string], FullRow>;
  readonly #put: Statement;
  readonly #delete: Statement;
  readonly #insertDirectory: Statement;
  readonly #childDirectories: Statement<[number], [number]>;
  readonly #deleteDirectory: Statement;
  readonly #revert: Statement;
  readonly #dropNew: Statement;

  constructor(database: CatalogDatabase) {
    this.#database = database;
    this.#batch = new WriteBatch(database);
    this.dirty = new DirtyPaths(database);
    this.trees = new CommittedTrees(database);
    const prepare = (sql: string): Statement => database.prepare(sql);
    this.#children = prepare(
      'SELECT name, kind, stat, child FROM entry WHERE directory = ? ORDER BY name',
    ).raw() as unknown as Statement<[number], Row>;
    this.#page = prepare(
      'SELECT name, kind, stat, child, detail, chunks FROM entry WHERE directory = ? AND name > ? ORDER BY name LIMIT ?',
    ).raw() as unknown as Statement<[number, string, number], FullRow>;
    this.#one = prepare(
      'SELECT name, kind, stat, child, detail, chunks FROM entry WHERE directory = ? AND name = ?',
    ).raw() as unknown as Statement<[number, string], FullRow>;
    // The version of the newest restore point is kept aside once, when the first newer one replaces it.
    this.#put = prepare(`
      INSERT INTO entry (directory, name, kind, stat, child, detail, chunks, run)
      VALUES (:directory, :name, :kind, :stat, :child, :detail, :chunks, :run)
      ON CONFLICT (directory, name) DO UPDATE SET
        kept_stat   = CASE WHEN run <= :committed THEN stat ELSE kept_stat END,
        kept_chunks = CASE WHEN run <= :committed THEN chunks ELSE kept_chunks END,
        kind = excluded.kind, stat = excluded.stat, child = excluded.child, detail = excluded.detail,
        chunks = excluded.chunks, run = excluded.run`);
    this.#delete = prepare('DELETE FROM entry WHERE directory = ? AND name = ?');
    this.#insertDirectory = prepare('INSERT INTO directory (backup_set) VALUES (?)');
    this.#childDirectories = prepare(
      'SELECT child FROM entry WHERE directory = ? AND child IS NOT NULL',
    ).raw() as unknown as Statement<[number], [number]>;
    this.#deleteDirectory = prepare('DELETE FROM directory WHERE id = ?');
    this.#revert = prepare(`
      UPDATE entry SET stat = kept_stat, chunks = kept_chunks, run = :committed, kept_stat = NULL, kept_chunks = NULL
      WHERE directory = :directory AND name = :name AND run > :committed AND kept_stat IS NOT NULL AND kind = ${FILE}
        AND kept_chunks IS NOT NULL`);
    this.#dropNew = prepare('DELETE FROM entry WHERE directory = :directory AND name = :name AND run > :committed');
  }

  /** Starts a run: its number is above every earlier one, committed or not. */
  beginRun(setName: string): SetRun {
    this.flush();
    this.dirty.forget();
    return this.#database.transaction((): SetRun => {
      this.#database.prepare('INSERT OR IGNORE INTO backup_set (name) VALUES (?)').run(setName);
      const row = this.#database
        .prepare('UPDATE backup_set SET run = run + 1 WHERE name = ? RETURNING id, run')
        .get(setName) as { id: number; run: number };
      return { setId: row.id, run: row.run, rootsDirectory: this.#rootsDirectory(row.id) };
    })();
  }

  /** What is known of a set without starting a run; nothing where it never ran. */
  findSet(setName: string): SetRun | undefined {
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
   * Makes what `run` wrote the last known state, and remembers what its roots looked like and what its tree is made of.
   *
   * @param tree nothing where the next run has to make all of its tree anew
   */
  commitRun(run: SetRun, roots: readonly KnownRoot[], tree?: CommittedTree, pieces: readonly KnownPiece[] = []): void {
    this.flush();
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
    this.dirty.forget();
  }

  /** A directory's entries by name, without chunk lists. */
  children(directory: number): KnownEntry[] {
    return this.#children.all(directory).map(([name, kind, stat, child]) => ({ name, kind, stat, child }));
  }

  /** The next entries of a directory after `name` (`''` is before all). */
  page(directory: number, after: string, limit: number): CatalogEntry[] {
    return this.#page.all(directory, after, limit).map(entryOf);
  }

  find(directory: number, name: string): CatalogEntry | undefined {
    const row = this.#one.get(directory, name);
    return row && entryOf(row);
  }

  newDirectory(run: SetRun): number {
    this.#batch.onWrite();
    return Number(this.#insertDirectory.run(run.setId).lastInsertRowid);
  }

  put(directory: number, entry: CatalogEntry, run: SetRun, committed: number): void {
    this.#batch.onWrite();
    this.#put.run({ ...entry, directory, run: run.run, committed });
    if (committed > 0) this.dirty.written(directory, entry.name);
  }

  /** Removes an entry and, where it is a directory, everything below it. */
  remove(directory: number, name: string, child: number | null): void {
    this.#batch.onWrite();
    this.dirty.removing(directory, name, child !== null);
    if (child !== null) this.#removeDirectory(child);
    this.#batch.onWrite();
    this.#delete.run(directory, name);
  }

  /**
   * Takes a file back to the version in the newest restore point.
   *
   * @returns whether there is such a version; where not, the entry is gone
   */
  revert(directory: number, name: string, committed: number): boolean {
    this.#batch.onWrite();
    const reverted = this.#revert.run({ directory, name, committed }).changes > 0;
    if (!reverted) this.#dropNew.run({ directory, name, committed });
    return this.#one.get(directory, name) !== undefined;
  }

  flush(): void {
    this.#batch.flush();
  }

  #rootsDirectory(setId: number): number {
    const first = this.#database
      .prepare('SELECT id FROM directory WHERE backup_set = ? ORDER BY id LIMIT 1')
      .get(setId) as { id: number } | undefined;
    return first?.id ?? Number(this.#insertDirectory.run(setId).lastInsertRowid);
  }

  #removeDirectory(directory: number): void {
    const pending = [directory];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const [child] of this.#childDirectories.iterate(next)) pending.push(child);
      this.#batch.onWrite();
      this.#deleteDirectory.run(next); // its entries go with it
    }
  }
}

function entryOf([name, kind, stat, child, detail, chunks]: FullRow): CatalogEntry {
  return { name, kind, stat, child, detail, chunks };
}
