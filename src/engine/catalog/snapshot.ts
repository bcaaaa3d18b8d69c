import type { CatalogDatabase } from './database.ts';
import { CommittedTrees } from './committed-tree.ts';
import { Directories } from './directories.ts';
import type { SetRun } from './entries.ts';
import { EntryReader } from './entry-reader.ts';

/** The entries of a set as they were when a revision ended, whatever is written meanwhile. */
export interface CatalogSnapshot extends Disposable {
  readonly run: SetRun;
  /** It has what was written up to this revision. */
  readonly revision: number;
  readonly entries: EntryReader;
  /** The committed trees of the destination for which it was taken. */
  readonly trees: CommittedTrees;
}

/** Opens a read transaction on a connection of its own, which shows the state at this moment. */
export class OpenSnapshot implements CatalogSnapshot {
  readonly run: SetRun;
  readonly revision: number;
  readonly entries: EntryReader;
  readonly trees: CommittedTrees;
  readonly #close: () => void;

  /** @param close called once, after the connection was closed */
  constructor(
    database: CatalogDatabase,
    { run, revision, destination }: { readonly run: SetRun; readonly revision: number; readonly destination: string },
    close: () => void,
  ) {
    this.run = run;
    this.revision = revision;
    this.#close = () => {
      database.close();
      close();
    };
    database.exec('BEGIN');
    // A deferred transaction begins with its first read.
    database.pragma('user_version');
    this.entries = new EntryReader(new Directories(database));
    this.trees = new CommittedTrees(database, destination);
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}
