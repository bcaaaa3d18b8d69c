import { rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { openingError } from '../base/files/handle-shortage.ts';
import { HoldfastError, systemCodeOf } from '../base/errors/errors.ts';
import { restrictDatabase } from '../base/files/owner-only.ts';
import { addRowSums, areRowsSound } from './row-sums.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';
import { DAY, MIB } from '../model/units.ts';

export type HistoryDatabase = Database.Database;

/** Milliseconds between two checks of a large file. */
const CHECK_INTERVAL = DAY;
/** A file of at most so many bytes is checked whenever it is opened for writing. */
const SMALL_BYTES = 4 * MIB;

/**
 * Opens the history's file. One that is missing, damaged or of another version is made anew: it is a copy of what the trees at the
 * destinations say.
 *
 * @throws HoldfastError `home_unwritable`; `home_busy` while another process writes it
 */
export function openHistoryDatabase(file: string): HistoryDatabase {
  try {
    const before = identityOf(file);
    const opened = openIfSound(file);
    if (opened) return opened;
    // Another process may have made it anew meanwhile.
    if (identityOf(file) === before) removeHistory(file);
    const anew = openIfSound(file);
    if (anew) return anew;
    throw new HoldfastError('home_unwritable', { file, problem: 'not-a-history' });
  } catch (error) {
    throw historyError(error, file);
  }
}

/** Opens the file for queries alone. Returns `undefined` if there is none that can be used. */
export function openHistoryReader(file: string): HistoryDatabase | undefined {
  let database: HistoryDatabase | undefined;
  try {
    database = new Database(file, { readonly: true, fileMustExist: true });
    database.pragma('cache_size = -16384');
    if (Number(database.pragma('user_version', { simple: true })) === SCHEMA_VERSION) return database;
  } catch (error) {
    if (!isHistoryDamage(error) && systemCodeOf(error) !== 'SQLITE_CANTOPEN') throw error;
  }
  database?.close();
  return undefined;
}

export function removeHistory(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

/** Returns whether an error shows that the file is damaged. */
export function isHistoryDamage(error: unknown): boolean {
  const code = systemCodeOf(error) ?? '';
  return code === 'SQLITE_NOTADB' || code === 'SQLITE_IOERR_SHORT_READ' || code.startsWith('SQLITE_CORRUPT');
}

/** Returns whether another process wrote for longer than SQLite waits. */
export function isHistoryBusy(error: unknown): boolean {
  return systemCodeOf(error)?.startsWith('SQLITE_BUSY') === true;
}

export function busyError(cause: unknown): HoldfastError {
  return new HoldfastError('home_busy', { command: 'filling the history of files' }, { cause });
}

function openIfSound(file: string): HistoryDatabase | undefined {
  let database: HistoryDatabase | undefined;
  try {
    database = new Database(file);
    restrictDatabase(file);
    database.pragma('journal_mode = WAL');
    // A commit that a power cut takes is made again.
    database.pragma('synchronous = NORMAL');
    database.pragma('cache_size = -32768');
    database.pragma('wal_autocheckpoint = 4096');
    restrictDatabase(file);
    initialise(database);
    if (pragma(database, 'user_version') === SCHEMA_VERSION && isSound(database)) return database;
  } catch (error) {
    database?.close();
    // SQLITE_ERROR: an unknown format.
    if (isHistoryDamage(error) || systemCodeOf(error) === 'SQLITE_ERROR') return undefined;
    throw error;
  }
  database.close();
  return undefined;
}

function initialise(database: HistoryDatabase): void {
  const isEmpty = (): boolean => database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
  if (!isEmpty()) return;
  database
    .transaction(() => {
      // Another process may have added it meanwhile.
      if (!isEmpty()) return;
      database.exec(SCHEMA);
      addRowSums(database);
      database.pragma(`user_version = ${SCHEMA_VERSION}`);
    })
    .immediate();
}

function isSound(database: HistoryDatabase): boolean {
  const now = Date.now();
  const isSmall = pragma(database, 'page_count') * pragma(database, 'page_size') <= SMALL_BYTES;
  const checked = database.prepare<[], number>("SELECT at FROM upkeep WHERE name = 'checked'").pluck().get();
  if (!isSmall && checked !== undefined && Math.abs(now - checked) < CHECK_INTERVAL) return true;
  if (database.pragma('integrity_check(1)', { simple: true }) !== 'ok' || !areRowsSound(database)) return false;
  if (!isSmall) {
    database.prepare("INSERT INTO upkeep VALUES ('checked', ?) ON CONFLICT DO UPDATE SET at = excluded.at").run(now);
  }
  return true;
}

function pragma(database: HistoryDatabase, name: string): number {
  return Number(database.pragma(name, { simple: true }));
}

function identityOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

/** Codes with which Windows refuses to remove a file that is open. */
const OPEN_ELSEWHERE: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY', 'EACCES']);

/** Makes an error of the home from one of SQLite or of the file system, where it is one. */
export function historyError(raised: unknown, file: string, platform: NodeJS.Platform = process.platform): unknown {
  const error = openingError(raised);
  if (isHistoryBusy(error)) return busyError(error);
  const code = systemCodeOf(error);
  if (OPEN_ELSEWHERE.has(code)) {
    // Windows removes no file that a search reads: it is made anew once that is done.
    return platform === 'win32'
      ? busyError(error)
      : new HoldfastError('home_unwritable', { file, problem: code }, { cause: error });
  }
  const isUnwritable = code === 'SQLITE_CANTOPEN' || code === 'SQLITE_READONLY' || code === 'SQLITE_FULL';
  return isUnwritable ? new HoldfastError('home_unwritable', { file, problem: code }, { cause: error }) : error;
}
