import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { openingError } from '../../base/files/handle-shortage.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { restrictDatabase } from '../../base/files/owner-only.ts';
import { makePrivateFolderSync } from '../../os/filesystem/make-folder.ts';
import { Maintenance } from './maintenance.ts';
import { addRowSums, areRowsSound, keepRowSums } from './row-sums.ts';
import { type ProjectionDatabase, SCHEMA, SCHEMA_VERSION } from './schema.ts';
import { DAY, MIB } from '../../model/units.ts';

/**
 * Opens the projection of a repository, creating it if necessary. It is a cache of the ledger: one that is damaged, of
 * another repository or of another version is deleted and built anew.
 *
 * @throws HoldfastError `home_unwritable`
 */
export function openProjectionDatabase(file: string, repository: string): ProjectionDatabase {
  makePrivateFolderSync(dirname(file));
  try {
    return openIfSound(file, repository) ?? openAnew(file, repository);
  } catch (raised) {
    const error = openingError(raised);
    const problem = systemCodeOf(error);
    if (problem === undefined) throw error;
    throw new HoldfastError('home_unwritable', { file, problem }, { cause: error });
  }
}

/** Returns `undefined` if the file cannot serve. */
function openIfSound(file: string, repository: string): ProjectionDatabase | undefined {
  let database: ProjectionDatabase | undefined;
  try {
    database = configured(new Database(file));
    const version = database.pragma('user_version', { simple: true }) as number;
    if (version === 0 && isEmpty(database)) initialise(database, repository);
    else if (version !== SCHEMA_VERSION || !isSound(database) || idIn(database) !== repository) {
      database.close();
      return undefined;
    }
    keepRowSums(database);
    return database;
  } catch (error) {
    database?.close();
    if (isDamage(error)) return undefined;
    throw error;
  }
}

function openAnew(file: string, repository: string): ProjectionDatabase {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  const database = configured(new Database(file));
  initialise(database, repository);
  keepRowSums(database);
  return database;
}

/** Commits do not wait for the disk: what is lost by a power cut is read from the ledger again. */
function configured(database: ProjectionDatabase): ProjectionDatabase {
  restrictDatabase(database.name);
  database.pragma('busy_timeout = 30000');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma('cache_size = -32768');
  database.pragma('wal_autocheckpoint = 8192');
  return database;
}

function initialise(database: ProjectionDatabase, repository: string): void {
  database.transaction(() => {
    database.exec(SCHEMA);
    addRowSums(database);
    database.prepare('INSERT INTO repository (id) VALUES (?)').run(repository);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  })();
}

function isEmpty(database: ProjectionDatabase): boolean {
  return database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
}

/** Milliseconds between two checks of a large file. */
const CHECK_INTERVAL = DAY;
/** A file of at most so many bytes is checked whenever it is opened: 8,000 chunks, which takes a tenth of a second. */
const SMALL_BYTES = MIB;

/** Checks a small file always, and a large one once a day: a million chunks take ten seconds. */
function isSound(database: ProjectionDatabase): boolean {
  const maintenance = new Maintenance(database);
  const now = Date.now();
  const bytes =
    Number(database.pragma('page_count', { simple: true })) * Number(database.pragma('page_size', { simple: true }));
  if (bytes <= SMALL_BYTES) return isUndamaged(database);
  if (!maintenance.isDue('check-projection', now, CHECK_INTERVAL)) return true;
  if (!isUndamaged(database)) return false;
  maintenance.done('check-projection', now);
  return true;
}

/** Checks the structure of every page, and that all rows are those that were written. */
export function isUndamaged(database: ProjectionDatabase): boolean {
  try {
    return database.pragma('quick_check(1)', { simple: true }) === 'ok' && areRowsSound(database);
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

function idIn(database: ProjectionDatabase): unknown {
  return database.prepare('SELECT id FROM repository').pluck().get();
}

/** Returns whether an error shows that the file's content is damaged. */
export function isDamage(error: unknown): boolean {
  const code = systemCodeOf(error) ?? '';
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_ERROR';
}
