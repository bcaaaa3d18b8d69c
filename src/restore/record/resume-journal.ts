import type Database from 'better-sqlite3';
import { hash } from 'node:crypto';
import { partialPrefixOf } from '../../os/filesystem/names/partial-name.ts';
import type { RecordedRestore } from './recorded-forms.ts';

/** Identifies a restore: a later run with the same values continues it. */
export interface RestoreIdentity {
  readonly deviceId: string;
  readonly backupSet: string;
  readonly restorePoint: string;
  /** False if no tree proves the files: what such a run wrote does not count as done for one with a tree. */
  readonly isProven: boolean;
  /** Entry paths that are restored. */
  readonly paths: readonly string[];
  /** Entry paths that are excluded. */
  readonly without: readonly string[];
  /** Real path. */
  readonly target: string;
  /** True if everything goes back to its original place, below the target. */
  readonly inPlace: boolean;
  /** True if what did not exist then is moved aside. */
  readonly exact: boolean;
}

/** Returns the id of a restore, in hex. */
export function restoreIdOf(restore: RestoreIdentity): string {
  const { deviceId, backupSet, restorePoint, isProven, target, inPlace, exact } = restore;
  const lists = [restore.paths.toSorted(), restore.without.toSorted()];
  const identity = [deviceId, backupSet, restorePoint, isProven, target, inPlace, exact, ...lists];
  return hash('sha256', JSON.stringify(identity), 'hex').slice(0, 16);
}

/**
 * Records what existed in the target before the first run of a restore wrote anything. A later run of the same restore
 * counts everything else that is there and complete as its own work. Nothing has to be recorded while files are written,
 * since a file gets its name when it is complete, with its time.
 */
export class ResumeJournal {
  /** Milliseconds since the epoch: when the first run began. */
  readonly startedAt: number;
  /** True if an earlier run has begun to write. */
  readonly resumed: boolean;
  /** Prefix of this restore's incomplete files, followed by their number. */
  readonly partialPrefix: string;
  readonly #find: Database.Statement<[string], { readonly same: number }>;
  readonly #insert: Database.Statement;
  readonly #isWritten: boolean;

  /** @param isWritten false for a dry run */
  constructor(
    database: Database.Database,
    { id, startedAt }: Pick<RecordedRestore, 'id' | 'startedAt'>,
    { resumed, isWritten }: { readonly resumed: boolean; readonly isWritten: boolean },
  ) {
    this.startedAt = startedAt;
    this.resumed = resumed;
    this.partialPrefix = partialPrefixOf(id);
    this.#isWritten = isWritten;
    this.#find = database.prepare('SELECT same FROM existing WHERE path = ?');
    this.#insert = database.prepare('INSERT OR IGNORE INTO existing VALUES (?, ?)');
  }

  /**
   * Returns whether an earlier run of this restore made what exists at the entry's target, provided that it is complete.
   *
   * @param same whether it is the same as the entry: if it was different before, this restore changed it
   */
  madeHere(path: string, same: boolean): boolean {
    if (!this.resumed) return false;
    const before = this.#find.get(path);
    return before === undefined || (same && before.same === 0);
  }

  /** Records what existed at the entry's target before this restore wrote anything. */
  recordExisting(path: string, same: boolean): void {
    if (!this.resumed && this.#isWritten) this.#insert.run(path, same ? 1 : 0);
  }
}
