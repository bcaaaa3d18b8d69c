import Database from 'better-sqlite3';
import { hash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { partialPrefixOf } from '../../os/filesystem/names/partial-name.ts';
import { DAY } from '../../model/units.ts';

/** Identifies a restore: a later run with the same values resumes it. */
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
  readonly exact?: boolean;
}

const PREFIX = 'restore-';
const SUFFIX = '.journal';
/** Age at which the journal of an abandoned restore is removed. */
const MAX_AGE_MS = 30 * DAY;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS run (started_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS existing (path TEXT PRIMARY KEY, same INTEGER NOT NULL) WITHOUT ROWID;
`;

/**
 * Records what existed in the target before the first run of a restore wrote anything. A later run of the same restore
 * counts everything else that is there and complete as its own work. Nothing has to be recorded while files are written,
 * since a file gets its name when it is complete, with its time.
 */
export class ResumeJournal {
  /** Hex; identifies this restore. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** True if an earlier run has begun to write. */
  readonly resumed: boolean;
  readonly #file: string;
  readonly #database: Database.Database;
  readonly #find: Database.Statement<[string], { readonly same: number }>;
  readonly #insert: Database.Statement;
  readonly #readOnly: boolean;
  #begun = false;

  static open(scratch: string, identity: RestoreIdentity, now: number): ResumeJournal {
    removeOld(scratch, now);
    return new ResumeJournal(scratch, identity, now, false);
  }

  /** Opens the journal for a dry run: changes nothing, even while the same restore is running. */
  static openReadOnly(scratch: string, identity: RestoreIdentity, now: number): ResumeJournal {
    return new ResumeJournal(scratch, identity, now, true);
  }

  /** Removes the journal of a restore that must not go on. */
  static remove(scratch: string, id: string): void {
    removeDatabase(fileOf(scratch, id));
  }

  private constructor(scratch: string, identity: RestoreIdentity, now: number, readOnly: boolean) {
    this.#readOnly = readOnly;
    this.id = hash('sha256', identityText(identity), 'hex').slice(0, 16);
    this.#file = fileOf(scratch, this.id);
    this.#database = readOnly ? openForReading(this.#file) : openForWriting(this.#file);
    const begun = this.#database
      .prepare<[], { readonly startedAt: number }>('SELECT started_at AS startedAt FROM run')
      .get();
    this.resumed = begun !== undefined;
    this.startedAt = begun?.startedAt ?? now;
    this.#find = this.#database.prepare('SELECT same FROM existing WHERE path = ?');
    this.#insert = this.#database.prepare('INSERT OR IGNORE INTO existing VALUES (?, ?)');
    this.#database.exec('BEGIN');
  }

  /** Prefix of this restore's incomplete files, followed by their number. */
  get partialPrefix(): string {
    return partialPrefixOf(this.id);
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
    if (!this.resumed && !this.#readOnly) this.#insert.run(path, same ? 1 : 0);
  }

  /** Must be called before the restore writes anything. */
  begin(): void {
    if (!this.resumed) this.#database.prepare('INSERT INTO run VALUES (?)').run(this.startedAt);
    this.#database.exec('COMMIT');
    this.#begun = true;
  }

  /** Closes the journal, and removes it if this run never began to write. */
  close(): void {
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
    this.#database.close();
    if (!this.#readOnly && !this.resumed && !this.#begun) this.remove();
  }

  /** Must be called after `close`, when nothing is left for a later run. */
  remove(): void {
    removeDatabase(this.#file);
  }
}

function identityText({
  deviceId,
  backupSet,
  restorePoint,
  isProven,
  paths,
  without,
  target,
  inPlace,
  exact = false,
}: RestoreIdentity): string {
  return JSON.stringify([
    deviceId,
    backupSet,
    restorePoint,
    isProven,
    paths.toSorted(),
    target,
    without.toSorted(),
    inPlace,
    ...(exact ? ['exact'] : []),
  ]);
}

/** A journal that is unreadable after a power failure is discarded: what exists then counts as a conflict. */
function openForWriting(file: string): Database.Database {
  try {
    return openJournal(file);
  } catch {
    removeDatabase(file);
    return openJournal(file);
  }
}

/** A journal that would have to be repaired first counts as empty. */
function openForReading(file: string): Database.Database {
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { readonly: true, fileMustExist: true });
    database.prepare('SELECT * FROM run, existing').get();
    return database;
  } catch {
    database?.close();
    return openJournal(':memory:');
  }
}

function openJournal(file: string): Database.Database {
  const database = new Database(file);
  try {
    database.pragma('synchronous = NORMAL');
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function fileOf(scratch: string, id: string): string {
  return join(scratch, `${PREFIX}${id}${SUFFIX}`);
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-journal']) rmSync(file + suffix, { force: true });
}

function removeOld(scratch: string, now: number): void {
  for (const name of readdirSync(scratch)) {
    if (!name.startsWith(PREFIX) || !name.endsWith(SUFFIX)) continue;
    const file = join(scratch, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat && now - stat.mtimeMs > MAX_AGE_MS) removeDatabase(file);
  }
}
