import Database from 'better-sqlite3';
import { HoldfastError, systemCodeOf } from '../../base/errors.ts';
import { migrations } from './migrations/index.ts';

export type CatalogDatabase = Database.Database;

/**
 * Opens the catalog's file and brings it to the newest version. The catalog holds nothing that the service and the
 * disk do not hold: losing it costs time, not data, so commits do not wait for the disk.
 *
 * @throws HoldfastError `home_damaged` where the file is no catalog or a newer program wrote it
 */
export function openCatalogDatabase(file: string): CatalogDatabase {
  let database: CatalogDatabase | undefined;
  try {
    database = new Database(file);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
    database.pragma('cache_size = -16384');
    // Pages: a checkpoint waits for a disk that has blobs to write, so there are few.
    database.pragma('wal_autocheckpoint = 8192');
    migrate(database, file);
    return database;
  } catch (error) {
    database?.close();
    throw asHomeError(error, file);
  }
}

function migrate(database: CatalogDatabase, file: string): void {
  const version = database.pragma('user_version', { simple: true }) as number;
  if (version > migrations.length) throw new HoldfastError('home_damaged', { file, problem: 'newer-version' });
  for (let next = version; next < migrations.length; next += 1) {
    database.transaction(() => {
      const migration = migrations[next]!;
      if (typeof migration === 'string') database.exec(migration);
      else migration(database);
      database.pragma(`user_version = ${next + 1}`);
    })();
  }
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
