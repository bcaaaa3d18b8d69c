import { accessSync, constants, renameSync, rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { openingError } from '../base/files/handle-shortage.ts';
import { HoldfastError, systemCodeOf } from '../base/errors/errors.ts';
import { restrictDatabase } from '../base/files/owner-only.ts';
import { isCatalogDamage } from './damage.ts';
import { rescue, restoreRescued } from './rescue.ts';
import {
  addRowSums,
  areBlocksSound,
  areJobsSound,
  areRowsSound,
  keepRowSums,
  LARGE_TABLES,
  SUMMED_TABLES,
} from './row-sums.ts';
import { APPLICATION_ID, type CatalogDatabase, SCHEMA, SCHEMA_VERSION } from './schema.ts';
import { DAY, MIB } from '../model/units.ts';

/**
 * Opens the catalog's file, creating it if necessary. One that is damaged is moved aside and made anew, with the jobs that
 * are sound. Commits do not wait for the disk: losing entries costs time and no data.
 *
 * @throws HoldfastError `home_damaged` if the file was written by a newer program, `home_unwritable`
 */
export function openCatalogDatabase(file: string): CatalogDatabase {
  try {
    const damaged = identityOf(file);
    const opened = openIfSound(file);
    if (opened) return opened;
    // Another process may have made it anew meanwhile.
    if (identityOf(file) === damaged) replaceCatalog(file);
    return openIfSound(file) ?? refuse(file);
  } catch (error) {
    throw asHomeError(error, file);
  }
}

/**
 * Opens a second connection that only reads.
 *
 * @throws HoldfastError as `openCatalogDatabase`
 */
export function openReader(file: string): CatalogDatabase {
  try {
    return new Database(file, { readonly: true });
  } catch (error) {
    throw asHomeError(error, file);
  }
}

/**
 * Makes the catalog anew, with what is sound of the old one's jobs. The old one is kept as `.damaged`, in the place of an
 * earlier one. No connection of this process may be open.
 */
export function replaceCatalog(file: string): void {
  const rescued = rescue(file);
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}.damaged${suffix}`, { force: true });
  rmSync(`${file}-shm`, { force: true });
  moveAside(`${file}-wal`, `${file}.damaged-wal`);
  moveAside(file, `${file}.damaged`);
  const database = configured(new Database(file));
  try {
    initialise(database);
    keepRowSums(database);
    const note = database.prepare('INSERT INTO upkeep VALUES (?, ?)');
    database.transaction(() => {
      restoreRescued(database, rescued);
      note.run('made-anew', Date.now());
      if (rescued.lostJobs) note.run('lost-jobs', Date.now());
    })();
  } finally {
    database.close();
  }
}

function moveAside(file: string, to: string): void {
  try {
    renameSync(file, to);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
}

/** Returns `undefined` if the file is damaged. */
function openIfSound(file: string): CatalogDatabase | undefined {
  let database: CatalogDatabase | undefined;
  try {
    database = configured(new Database(file));
    initialise(database);
    const version = pragma(database, 'user_version');
    if (version > SCHEMA_VERSION && pragma(database, 'application_id') === APPLICATION_ID + version) {
      throw new HoldfastError('home_damaged', { file, problem: 'newer-version' });
    }
    if (version !== SCHEMA_VERSION || !isSound(database)) {
      database.close();
      return undefined;
    }
    keepRowSums(database);
    return database;
  } catch (error) {
    database?.close();
    if (isCatalogDamage(error) || isDamagedHeader(error, file)) return undefined;
    throw error;
  }
}

function configured(database: CatalogDatabase): CatalogDatabase {
  restrictDatabase(database.name);
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
    database.pragma('cache_size = -16384');
    // In pages. Checkpoints wait for a disk that is busy writing blobs, so they are made rare.
    database.pragma('wal_autocheckpoint = 8192');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Adds the schema to an empty file. */
function initialise(database: CatalogDatabase): void {
  if (!isEmpty(database)) return;
  database
    .transaction(() => {
      // Another process may have added it meanwhile.
      if (!isEmpty(database)) return;
      database.exec(SCHEMA);
      addRowSums(database);
      database.pragma(`application_id = ${APPLICATION_ID + SCHEMA_VERSION}`);
      database.pragma(`user_version = ${SCHEMA_VERSION}`);
    })
    .immediate();
}

function isEmpty(database: CatalogDatabase): boolean {
  return database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
}

/** Milliseconds between two checks of a large file. */
const CHECK_INTERVAL = DAY;
/** A file of at most so many bytes is checked whenever it is opened. */
const SMALL_BYTES = 4 * MIB;

/** Checks a small file always, and a large one once a day. Of that, small tables are always checked. */
function isSound(database: CatalogDatabase): boolean {
  const now = Date.now();
  const isSmall = pragma(database, 'page_count') * pragma(database, 'page_size') <= SMALL_BYTES;
  const checked = database.prepare<[], number>("SELECT at FROM upkeep WHERE name = 'checked'").pluck().get();
  const isDue = isSmall || checked === undefined || Math.abs(now - checked) >= CHECK_INTERVAL;
  if (isDue && database.pragma('integrity_check(1)', { simple: true }) !== 'ok') return false;
  const isWhole = database.transaction(
    () =>
      SUMMED_TABLES.every((table) => (!isDue && LARGE_TABLES.has(table)) || areRowsSound(database, table)) &&
      (!isDue || (areJobsSound(database) && areBlocksSound(database))),
  )();
  if (isWhole && isDue && !isSmall) {
    database.prepare("INSERT INTO upkeep VALUES ('checked', ?) ON CONFLICT DO UPDATE SET at = excluded.at").run(now);
  }
  return isWhole;
}

function pragma(database: CatalogDatabase, name: string): number {
  return Number(database.pragma(name, { simple: true }));
}

/** Returns whether SQLite refuses the file because of its first page: an unknown format, or one that may not be written. */
function isDamagedHeader(error: unknown, file: string): boolean {
  const code = systemCodeOf(error) ?? '';
  if (code === 'SQLITE_ERROR') return true;
  if (!code.startsWith('SQLITE_READONLY')) return false;
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function identityOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function refuse(file: string): never {
  throw new HoldfastError('home_damaged', { file, problem: 'not-a-catalog' });
}

function asHomeError(raised: unknown, file: string): unknown {
  const error = openingError(raised);
  const code = systemCodeOf(error);
  if (isCatalogDamage(error)) {
    return new HoldfastError('home_damaged', { file, problem: 'not-a-catalog' }, { cause: error });
  }
  if (code === 'SQLITE_CANTOPEN' || code === 'SQLITE_READONLY' || code === 'SQLITE_FULL') {
    return new HoldfastError('home_unwritable', { file, problem: code }, { cause: error });
  }
  return error;
}
