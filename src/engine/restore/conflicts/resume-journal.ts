import Database from 'better-sqlite3';
import { hash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What makes two restores the same one. */
export interface RestoreIdentity {
  readonly deviceId: string;
  readonly backupSet: string;
  readonly restorePoint: string;
  readonly paths: readonly string[];
  /** Entry paths that are left out. */
  readonly without: readonly string[];
  /** Real path. */
  readonly target: string;
}

const PREFIX = 'restore-';
const SUFFIX = '.journal';
/** A restore that nobody took up again for so long is not going on. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Names that incomplete files have, all restores' together. */
export const PARTIAL_PREFIX = '.holdfast-partial-';

/**
 * What stood in the target before the first run of a restore wrote anything. A later run of the same restore takes
 * whatever else is there and is complete for its own work: nothing has to be noted while files are written, since a file
 * gets its name when it is complete, with its time.
 */
export class ResumeJournal {
  /** Hex; names this restore. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Whether an earlier run has begun to write. */
  readonly resumed: boolean;
  readonly #file: string;
  readonly #database: Database.Database;
  readonly #find: Database.Statement;
  readonly #note: Database.Statement;
  readonly #isLook: boolean;
  #begun = false;

  static open(scratch: string, identity: RestoreIdentity, now: number): ResumeJournal {
    removeOld(scratch, now);
    return new ResumeJournal(scratch, identity, now, openAnew);
  }

  /** For a look at what a restore would do: changes nothing, also while the very same restore is at work. */
  static lookAt(scratch: string, identity: RestoreIdentity, now: number): ResumeJournal {
    return new ResumeJournal(scratch, identity, now, openForLook, true);
  }

  private constructor(
    scratch: string,
    identity: RestoreIdentity,
    now: number,
    open: (file: string) => Database.Database,
    isLook = false,
  ) {
    this.#isLook = isLook;
    this.id = hash('sha256', identityText(identity), 'hex').slice(0, 16);
    this.#file = join(scratch, `${PREFIX}${this.id}${SUFFIX}`);
    this.#database = open(this.#file);
    const begun = this.#database.prepare('SELECT started_at AS startedAt FROM run').get() as
      | { startedAt: number }
      | undefined;
    this.resumed = begun !== undefined;
    this.startedAt = begun?.startedAt ?? now;
    this.#find = this.#database.prepare('SELECT same FROM existing WHERE path = ?');
    this.#note = this.#database.prepare('INSERT OR IGNORE INTO existing VALUES (?, ?)');
    this.#database.exec('BEGIN');
  }

  /** What incomplete files of this restore are called, before their number. */
  get partialPrefix(): string {
    return `${PARTIAL_PREFIX}${this.id}-`;
  }

  /**
   * Whether what stands at the entry's target was made by an earlier run of this restore, if it is complete.
   *
   * @param same whether it looks as the entry does: then, if it looked otherwise before, this restore made it so
   */
  madeHere(path: string, same: boolean): boolean {
    if (!this.resumed) return false;
    const before = this.#find.get(path) as { same: number } | undefined;
    return before === undefined || (same && before.same === 0);
  }

  /** Notes what stood at the entry's target before this restore wrote anything. */
  noteExisting(path: string, same: boolean): void {
    if (!this.resumed && !this.#isLook) this.#note.run(path, same ? 1 : 0);
  }

  /** From here on, the restore writes. */
  begin(): void {
    if (!this.resumed) this.#database.prepare('INSERT INTO run VALUES (?)').run(this.startedAt);
    this.#database.exec('COMMIT');
    this.#begun = true;
  }

  /** A run that never began to write leaves nothing. */
  close(): void {
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
    this.#database.close();
    if (!this.#isLook && !this.resumed && !this.#begun) this.remove();
  }

  /** Once it is closed, and nothing is left for a later run. */
  remove(): void {
    removeDatabase(this.#file);
  }
}

function identityText({ deviceId, backupSet, restorePoint, paths, without, target }: RestoreIdentity): string {
  return JSON.stringify([deviceId, backupSet, restorePoint, paths, target, without]);
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS run (started_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS existing (path TEXT PRIMARY KEY, same INTEGER NOT NULL) WITHOUT ROWID;
`;

/** A journal that cannot be read, after a power failure, is forgotten: then what is there counts as a conflict. */
function openAnew(file: string): Database.Database {
  try {
    return openJournal(file);
  } catch {
    removeDatabase(file);
    return openJournal(file);
  }
}

/** What an earlier run noted; what cannot be read without being mended first counts as nothing. */
function openForLook(file: string): Database.Database {
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

function removeDatabase(file: string): void {
  for (const suffix of ['', '-journal']) rmSync(file + suffix, { force: true });
}

function removeOld(scratch: string, now: number): void {
  for (const name of readdirSync(scratch)) {
    if (!name.startsWith(PREFIX) || !name.endsWith(SUFFIX)) continue;
    const file = join(scratch, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat && now - stat.mtimeMs > KEPT_MS) removeDatabase(file);
  }
}
