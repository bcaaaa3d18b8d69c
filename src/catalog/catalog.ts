import { entryPathOf } from '../os/filesystem/names/entry-path.ts';
import { Journal } from '../jobs/journal.ts';
import type { RunWarning } from '../jobs/run-warning.ts';
import { CommittedTrees } from './committed-tree.ts';
import { openCatalogDatabase, openReader } from './database.ts';
import type { CatalogDatabase } from './schema.ts';
import { CatalogEntries, type SetRun } from './entries/entries.ts';
import { CatalogHistory } from './history.ts';
import { OpenSnapshot, type CatalogSnapshot, type InsteadOf } from './entries/snapshot.ts';

/** The catalog as one destination's operations use it. Entries and jobs are those of all destinations. */
export interface DestinationCatalog {
  /** The id of the destination. */
  readonly destination: string;
  readonly history: CatalogHistory;
  readonly trees: CommittedTrees;
  readonly entries: CatalogEntries;
  readonly journal: Journal;
  readonly whole: Catalog;
}

/** This computer's state between runs: one SQLite file in the home. It can always be rebuilt, except for the jobs. */
export class Catalog implements Disposable {
  readonly entries: CatalogEntries;
  readonly journal: Journal;
  readonly #file: string;
  readonly #database: CatalogDatabase;

  #warnings: readonly RunWarning[] | undefined;

  /** @throws HoldfastError `home_damaged`, `home_unwritable` */
  constructor(file: string) {
    this.#file = file;
    this.#database = openCatalogDatabase(file);
    this.entries = new CatalogEntries(this.#database);
    this.journal = new Journal(this.#database);
  }

  /** Returns the catalog as operations of one destination use it. */
  at(destination: string): DestinationCatalog {
    return {
      destination,
      history: new CatalogHistory(this.#database, destination),
      trees: new CommittedTrees(this.#database, destination),
      entries: this.entries,
      journal: this.journal,
      whole: this,
    };
  }

  /** Deletes what is known of a destination, except the jobs. */
  forget(destination: string): void {
    this.entries.forgetTrees(destination);
    this.#database.transaction(() => {
      for (const table of ['restore_point', 'tree_seen', 'doubt', 'alarm']) {
        this.#database.prepare(`DELETE FROM ${table} WHERE destination = ?`).run(destination);
      }
    })();
  }

  /** Returns what the next backup has to report of this file: that it was damaged and made anew. Stored until then. */
  takeWarnings(): readonly RunWarning[] {
    this.#warnings ??= this.#database
      .prepare<[], string>("DELETE FROM upkeep WHERE name IN ('made-anew', 'lost-jobs') RETURNING name")
      .pluck()
      .all()
      .toSorted((a, b) => b.localeCompare(a))
      .map((name) => ({ path: entryPathOf(this.#file), reason: `index-${name}` }));
    return this.#warnings;
  }

  /**
   * Ends the set's current revision, and opens its entries as they are now. The revision is retained while the snapshot is
   * open.
   *
   * @param instead versions that the destination gets of some files. They are recorded as those of the revision
   */
  snapshot(run: SetRun, destination: string, instead: InsteadOf = new Map()): CatalogSnapshot {
    const revision = this.entries.endRevision(run.setId);
    const release = (): void => this.entries.release(run.setId, revision);
    try {
      // Before the snapshot, so that their paths are among those that differ from the destination's newest restore point.
      for (const [directory, names] of instead) {
        for (const [name, version] of names) this.entries.recordVersion(directory, name, run, revision, version);
      }
      this.entries.flush();
      return new OpenSnapshot(openReader(this.#file), { run, revision, destination, instead }, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  close(): void {
    try {
      this.entries.flush();
    } finally {
      this.#database.close();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
