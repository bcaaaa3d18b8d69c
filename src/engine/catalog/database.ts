import Database from 'better-sqlite3';
import { HoldfastError, systemCodeOf } from '../../base/errors.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

export type CatalogDatabase = Database.Database;

/**
 * Opens the catalog's file, creating it if necessary. Commits do not wait for the disk: the catalog holds nothing that
 * the service and the disk do not hold, so losing it costs time and no data.
 *
 * @throws HoldfastError `home_damaged` if the file is not a catalog or was written by a newer program, `home_unwritable`
 */
export function openCatalogDatabase(file: string): CatalogDatabase {
  let database: CatalogDatabase | undefined;
  try {
    database = new Database(file);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
    database.pragma('cache_size = -16384');
    // In pages. Checkpoints wait for a disk that is busy writing blobs, so they are made rare.
    database.pragma('wal_autocheckpoint = 8192');
    createSchema(database, file);
    return database;
  } catch (error) {
    database?.close();
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

function createSchema(database: CatalogDatabase, file: string): void {
  const version = database.pragma('user_version', { simple: true }) as number;
  if (version > SCHEMA_VERSION) throw new HoldfastError('home_damaged', { file, problem: 'newer-version' });
  if (version === SCHEMA_VERSION) return;
  database.transaction(() => {
    database.exec(SCHEMA);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  })();
}

function asHomeError(error: unknown, file: string): unknown {
  const code = systemCodeOf(error);
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    return new HoldfastError('home_damaged', { file, problem: 'not-a-catalog' }, { cause: error });
  }
  if (code === 'SQLITE_CANTOPEN' || code === 'SQLITE_READONLY' || code === 'SQLITE_FULL') {
    return new HoldfastError('home_unwritable', { file, problem: code }, { cause: error });
  }
  return error;
}
