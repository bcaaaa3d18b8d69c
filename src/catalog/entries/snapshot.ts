import type { CatalogDatabase } from '../schema.ts';
import { CommittedTrees } from '../committed-tree.ts';
import { Directories } from './directories.ts';
import type { SetRun } from './entries.ts';
import type { CatalogEntry } from './entry.ts';
import { EntryReader } from './entry-reader.ts';
import type { EntryVersion } from './entry-record.ts';

/** A file's version, without what versions share. */
export type FileVersion = Pick<EntryVersion, 'stat'> & { readonly chunks: Buffer };

/** Versions of files to be shown in the place of the last known ones, by directory and name; `undefined` to leave one out. */
export type InsteadOf = ReadonlyMap<number, ReadonlyMap<string, FileVersion | undefined>>;

interface SnapshotOptions {
  readonly run: SetRun;
  readonly revision: number;
  readonly destination: string;
  readonly instead: InsteadOf;
}

/** The entries of a set as they were when a revision ended, whatever is written meanwhile. */
export interface CatalogSnapshot extends Disposable {
  readonly run: SetRun;
  /** It has what was written up to this revision. */
  readonly revision: number;
  readonly entries: EntryReader;
  /** The committed trees of the destination for which it was taken. */
  readonly trees: CommittedTrees;
}

/** Entries of which some are replaced by other versions. */
class ReplacedEntries extends EntryReader {
  readonly #instead: InsteadOf;

  constructor(directories: Directories, instead: InsteadOf) {
    super(directories);
    this.#instead = instead;
  }

  override page(directory: number, after: string, limit: number): CatalogEntry[] {
    const names = this.#instead.get(directory);
    if (!names) return super.page(directory, after, limit);
    const page: CatalogEntry[] = [];
    for (let last = after; page.length < limit;) {
      const stored = super.page(directory, last, limit);
      page.push(...stored.flatMap((entry) => this.#replaced(entry, names)));
      if (stored.length < limit) break;
      last = stored.at(-1)!.name;
    }
    return page.slice(0, limit);
  }

  override find(directory: number, name: string): CatalogEntry | undefined {
    const entry = super.find(directory, name);
    const names = this.#instead.get(directory);
    return entry && names ? this.#replaced(entry, names)[0] : entry;
  }

  #replaced(entry: CatalogEntry, names: ReadonlyMap<string, FileVersion | undefined>): CatalogEntry[] {
    const { name, kind, child, detail, place } = entry;
    if (!names.has(name)) return [entry];
    const version = names.get(name);
    return version ? [{ name, kind, child, detail, place, ...version }] : [];
  }
}

/** Opens a read transaction on a connection of its own, which shows the state at this moment. */
export class OpenSnapshot implements CatalogSnapshot {
  readonly run: SetRun;
  readonly revision: number;
  readonly entries: EntryReader;
  readonly trees: CommittedTrees;
  readonly #close: () => void;

  /** @param close called once, after the connection was closed */
  constructor(database: CatalogDatabase, { run, revision, destination, instead }: SnapshotOptions, close: () => void) {
    this.run = run;
    this.revision = revision;
    this.#close = () => {
      database.close();
      close();
    };
    database.exec('BEGIN');
    // A deferred transaction begins with its first read.
    database.pragma('user_version');
    this.entries = new ReplacedEntries(new Directories(database), instead);
    this.trees = new CommittedTrees(database, destination);
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}
