import type { KnownPiece } from '../../format/tree/piece.ts';
import { CommittedTrees, type CommittedTree } from '../committed-tree.ts';
import { DamagedChunks } from '../damaged-chunks.ts';
import type { CatalogDatabase } from '../schema.ts';
import { Directories } from './directories.ts';
import { DirtyPaths } from './dirty-paths.ts';
import type { CatalogEntry } from './entry.ts';
import { packEntry, type EntryVersion } from './entry-record.ts';
import { EntryReader } from './entry-reader.ts';
import { keptVersions, versionIn } from './kept-versions.ts';
import { Revisions } from './revisions.ts';
import { WriteBatch } from './write-batch.ts';

/** A root of a set's newest restore point. */
export interface KnownRoot {
  readonly path: string;
  /** The entry path that it led to: its own, unless there are links on the way. */
  readonly real: string;
}

/** A set's position in the catalog. */
export interface SetRun {
  readonly setId: number;
  /** The directory that holds the roots, named by their full paths. */
  readonly rootsDirectory: number;
}

/** What a completed run stored at a destination. */
export interface Commit {
  readonly setId: number;
  /** What was written up to this one is in the restore point. */
  readonly revision: number;
  readonly tree: CommittedTree;
  readonly pieces: readonly KnownPiece[];
  readonly roots: readonly KnownRoot[];
}

/** A destination that is behind by more paths than this gets everything in its next run, so that its log can be deleted. */
const MOST_DIRTY = 100_000;

/** Stores the last known entries of all sets. */
export class CatalogEntries extends EntryReader {
  readonly damaged: DamagedChunks;
  readonly #database: CatalogDatabase;
  readonly #directories: Directories;
  readonly #batch: WriteBatch;
  readonly #revisions: Revisions;
  readonly #dirty: DirtyPaths;

  constructor(database: CatalogDatabase) {
    const directories = new Directories(database);
    super(directories);
    this.#database = database;
    this.#directories = directories;
    this.#batch = new WriteBatch(database, directories);
    this.#revisions = new Revisions(database);
    this.#dirty = new DirtyPaths(database, directories, this.#revisions);
    this.damaged = new DamagedChunks(database);
  }

  /** Starts a run. */
  beginRun(setName: string): SetRun {
    this.flush();
    this.#batch.reset();
    this.#clearCaches();
    return this.#database.transaction((): SetRun => {
      const known = this.#setNamed(setName);
      if (known) return known;
      const insert = this.#database.prepare('INSERT INTO backup_set (name) VALUES (?)');
      const setId = Number(insert.run(setName).lastInsertRowid);
      return { setId, rootsDirectory: this.#addRoots(setId) };
    })();
  }

  /** Returns `undefined` if the set never had a run. */
  findSet(setName: string): SetRun | undefined {
    this.flush();
    return this.#setNamed(setName);
  }

  knownRoots(setId: number): ReadonlyMap<string, KnownRoot> {
    const rows = this.#database
      .prepare<[number], KnownRoot>('SELECT path, real FROM root WHERE backup_set = ?')
      .all(setId);
    return new Map(rows.map((row) => [row.path, row]));
  }

  /**
   * Ends the set's current revision. It has everything that was written so far, and nothing later.
   *
   * @returns its number, which is retained until `release`
   * @throws if a write has failed since the run began
   */
  endRevision(setId: number): number {
    this.flush();
    this.#batch.throwIfFailed();
    return this.#revisions.end(setId);
  }

  release(setId: number, revision: number): void {
    this.#revisions.release(setId, revision);
  }

  /** Makes a revision the newest restore point of a destination. */
  commit(destination: string, { setId, revision, tree, pieces, roots }: Commit): void {
    this.flush();
    this.#database.transaction(() => {
      new CommittedTrees(this.#database, destination).replace(setId, { ...tree, revision }, pieces);
      this.#replaceRoots(setId, roots);
      this.#revisions.clearCache();
      this.#dirty.prune(setId);
      while (this.#dirty.count(setId) > MOST_DIRTY && this.#forgetOldest(setId, revision)) this.#dirty.prune(setId);
    })();
  }

  removeSet(setName: string): void {
    this.flush();
    this.#database.prepare('DELETE FROM backup_set WHERE name = ?').run(setName);
    this.#clearCaches();
  }

  /** Deletes what is known of a destination's newest restore points. Its next runs send everything. */
  forgetTrees(destination: string): void {
    this.flush();
    this.#database.prepare('DELETE FROM committed_tree WHERE destination = ?').run(destination);
    this.#clearCaches();
  }

  newDirectory(run: SetRun): number {
    return this.#batch.write(() => this.#directories.create(run.setId));
  }

  put(directory: number, entry: CatalogEntry, { setId }: SetRun): void {
    this.#batch.write(() => {
      const before = this.#directories.findToWrite(directory, entry.name);
      const kept = keptVersions(before, this.#revisions.retained(setId));
      const record = packEntry(entry, this.#revisions.current(setId), kept);
      this.#directories.put(directory, entry.name, record, entry.child);
      this.#dirty.written(directory, entry.name);
    });
  }

  /**
   * Removes an entry and everything below it.
   *
   * @param child its directory, if it is the entry of one
   */
  remove(directory: number, name: string, child: number | null): void {
    this.#batch.write(() => {
      this.#dirty.removing(directory, name, child !== null);
      // In one transaction: the id of a directory without its entry could be reused.
      if (child !== null) this.#directories.removeTree(child);
      this.#directories.remove(directory, name);
    });
  }

  /**
   * Records that a retained revision, the newest one, has another version of an entry than was written, or does not have it.
   * The entry counts as written again, so that every later revision differs from that one.
   */
  recordVersion(
    directory: number,
    name: string,
    { setId }: SetRun,
    revision: number,
    version: Pick<EntryVersion, 'stat' | 'chunks'> | undefined,
  ): void {
    this.#batch.write(() => {
      const entry = this.#directories.findToWrite(directory, name);
      if (!entry) return;
      const earlier = this.#revisions.retained(setId).filter((other) => other < revision);
      const kept = [...keptVersions(entry, earlier)];
      if (version) kept.push({ revision, stat: version.stat, chunks: version.chunks });
      else if (kept.length > 0) kept.push({ revision, stat: entry.stat, chunks: null });
      const record = packEntry(entry, this.#revisions.current(setId), kept);
      this.#directories.put(directory, name, record, entry.child);
      this.#dirty.written(directory, name);
    });
  }

  /** Returns the version of an entry in a retained revision; `undefined` if it did not exist or is not known. */
  versionIn(directory: number, name: string, revision: number): EntryVersion | undefined {
    const entry = this.#directories.find(directory, name);
    return entry && versionIn(entry, revision);
  }

  flush(): void {
    this.#batch.flush();
  }

  #clearCaches(): void {
    this.#revisions.clearCache();
    this.#dirty.clearCache();
  }

  #setNamed(setName: string): SetRun | undefined {
    return this.#database
      .prepare<[string], SetRun>('SELECT id AS setId, roots AS rootsDirectory FROM backup_set WHERE name = ?')
      .get(setName);
  }

  #replaceRoots(setId: number, roots: readonly KnownRoot[]): void {
    this.#database.prepare('DELETE FROM root WHERE backup_set = ?').run(setId);
    const insert = this.#database.prepare('INSERT INTO root (backup_set, path, real) VALUES (?, ?, ?)');
    for (const { path, real } of roots) insert.run(setId, path, real);
  }

  /** Deletes the committed trees with the lowest revision below `revision`. Returns whether there were any. */
  #forgetOldest(setId: number, revision: number): boolean {
    const { changes } = this.#database
      .prepare(
        `DELETE FROM committed_tree WHERE backup_set = @setId AND revision < @revision
         AND revision = (SELECT min(revision) FROM committed_tree WHERE backup_set = @setId)`,
      )
      .run({ setId, revision });
    this.#revisions.clearCache();
    return changes > 0;
  }

  /** Adds the directory of a set's roots. */
  #addRoots(setId: number): number {
    const directory = this.#directories.create(setId);
    this.#directories.store();
    this.#database.prepare('UPDATE backup_set SET roots = ? WHERE id = ?').run(directory, setId);
    return directory;
  }
}
