import { lstatSync } from 'node:fs';
import { fileSystemPath } from '../../../os/filesystem/names/entry-path.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import type { FoundFile } from '../../scan/types.ts';

/** Many files of a program that belong together, of which no copy of one moment can be made. */
interface Store {
  /** The reason that the note in the report has. */
  readonly reason: string;
  /** Paths of files that are written whenever anything is, with the path of the whole as the first group. */
  readonly sign: RegExp;
  /** A file that each of them has. */
  readonly mark: string;
  /** Whether a command of the program itself makes a copy. */
  readonly hasCommand: boolean;
}

const STORES: readonly Store[] = [
  {
    reason: 'database-postgresql',
    sign: /^(.+)\/(?:global\/pg_control|pg_(?:wal|xlog)\/[0-9A-F]{24})$/,
    mark: 'PG_VERSION',
    hasCommand: true,
  },
  {
    reason: 'database-mysql',
    sign: /^(.+)\/(?:ibdata1|ib_logfile\d+|#innodb_redo\/#ib_redo\d+)$/,
    mark: 'ibdata1',
    hasCommand: true,
  },
  {
    reason: 'database-mongodb',
    sign: /^(.+)\/(?:WiredTiger\.turtle|journal\/WiredTigerLog\.\d+)$/,
    mark: 'WiredTiger',
    hasCommand: true,
  },
  {
    reason: 'library-photos',
    sign: /^(.+\.photoslibrary)\/database\/Photos\.sqlite(?:-wal)?$/,
    mark: 'database/Photos.sqlite',
    hasCommand: false,
  },
];
/** The names of all signs: most files are none. */
const NAME =
  /^(?:pg_control|[0-9A-F]{24}|ibdata1|ib_logfile\d+|#ib_redo\d+|WiredTiger\.turtle|WiredTigerLog\.\d+|Photos\.sqlite(?:-wal)?)$/;

/** More are not named. */
const MOST_STORES = 20;
const MOST_SIGNS = 8;
/** Times of files are behind the clock by up to a tick of the kernel. */
const TICK_MS = 20;

/**
 * Finds what a run has read file by file while a program wrote to it, although only all files of one moment are of use: data folders of servers, and libraries of photos. What rests
 * during the run is sound and not named.
 */
export class FileByFile {
  readonly #begin = Date.now() - TICK_MS;
  readonly #found = new Map<string, { readonly store: Store; readonly signs: Set<string> }>();

  /** Looks at a file that has changed since the last run: what has not is in the version that all files had then. */
  see({ name, path }: Pick<FoundFile, 'name' | 'path'>): void {
    if (!NAME.test(name)) return;
    for (const store of STORES) {
      const whole = store.sign.exec(path)?.[1];
      if (whole === undefined || (this.#found.size === MOST_STORES && !this.#found.has(whole))) continue;
      if (!this.#found.has(whole) && !lastWritten(`${whole}/${store.mark}`)) continue;
      const { signs } = this.#found.get(whole) ?? this.#add(whole, store);
      if (signs.size < MOST_SIGNS) signs.add(path);
    }
  }

  #add(whole: string, store: Store): { readonly signs: Set<string> } {
    const found = { store, signs: new Set<string>() };
    this.#found.set(whole, found);
    return found;
  }

  /**
   * Returns a note for each that was written to since the run began.
   *
   * @param hasCommand whether the set has a command before the backup, which is what the notes of databases would suggest
   */
  notes(hasCommand: boolean): readonly RunWarning[] {
    return [...this.#found].flatMap(([path, { store, signs }]) => {
      if (hasCommand && store.hasCommand) return [];
      const isWritten = [...signs].some((sign) => (lastWritten(sign) ?? Infinity) >= this.#begin);
      return isWritten ? [{ path, reason: store.reason }] : [];
    });
  }
}

/** Milliseconds since the epoch; `undefined` if it is gone. */
function lastWritten(path: string): number | undefined {
  try {
    return lstatSync(fileSystemPath(path)).mtimeMs;
  } catch {
    return undefined;
  }
}
