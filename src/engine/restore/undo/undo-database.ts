import Database from 'better-sqlite3';
import { basename } from 'node:path';
import type { RecordSeal } from './record-seal.ts';

const SCHEMA = `
  CREATE TABLE restore (form TEXT NOT NULL, mac TEXT NOT NULL);
  CREATE TABLE change (
    id INTEGER PRIMARY KEY, location TEXT NOT NULL UNIQUE, made INTEGER NOT NULL, existed INTEGER NOT NULL DEFAULT 0,
    type TEXT, size INTEGER, mode INTEGER,
    seconds INTEGER, nanoseconds INTEGER, target TEXT, aside TEXT, attributes TEXT, state INTEGER NOT NULL DEFAULT 0,
    mac TEXT);
  CREATE TABLE earlier (id INTEGER PRIMARY KEY, location TEXT NOT NULL, aside TEXT NOT NULL, UNIQUE (location, aside));
`;

/** What the MAC of a change covers. Its state is left out: it changes while it is undone, and decides what is still to be done. */
const SEALED = [
  'location',
  'made',
  'existed',
  'type',
  'size',
  'mode',
  'seconds',
  'nanoseconds',
  'target',
  'aside',
  'attributes',
] as const;

const MAC_OF_NEW = `UPDATE change SET mac = seal(${SEALED.map((column) => `NEW.${column}`).join(', ')}) WHERE id = NEW.id`;
/** Of the connection: the function needs the key. */
const SEAL_CHANGES = `
  CREATE TEMP TRIGGER seal_new AFTER INSERT ON main.change BEGIN ${MAC_OF_NEW}; END;
  CREATE TEMP TRIGGER seal_changed AFTER UPDATE OF ${SEALED.join(', ')} ON main.change BEGIN ${MAC_OF_NEW}; END;
`;

/** The statements of a record's schema, as SQLite keeps them. */
function schemaOf(database: Database.Database): string {
  const rows = database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').raw().all();
  return JSON.stringify(rows);
}

let own: string | undefined;

/** The schema of a new record. A trigger or a view that somebody else added would have rows of theirs sealed. */
function ownSchema(): string {
  if (own === undefined) {
    const empty = new Database(':memory:');
    empty.exec(SCHEMA);
    own = schemaOf(empty);
    empty.close();
  }
  return own;
}

/** Returns whether a record has its own schema and nothing that somebody else added. */
export function hasOwnSchema(database: Database.Database): boolean {
  return schemaOf(database) === ownSchema();
}

/** Opens a record, whose changes are sealed as they are written: none, if its schema is another. @throws what SQLite throws */
export function openDatabase(file: string, seal: RecordSeal): Database.Database {
  const database = new Database(file);
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    if (database.pragma('user_version', { simple: true }) === 0) {
      database.transaction(() => {
        database.exec(SCHEMA);
        database.pragma('user_version = 1');
      })();
    }
    if (!hasOwnSchema(database)) return database;
    database.function('seal', { varargs: true }, (...values: unknown[]) =>
      seal.of(['change', basename(file), ...values]),
    );
    database.exec(SEAL_CHANGES);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Returns whether a row was written by this home, for this record. */
export function isSealedChange(file: string, row: Readonly<Record<string, unknown>>, seal: RecordSeal): boolean {
  return seal.isOf(row['mac'], ['change', basename(file), ...SEALED.map((column) => row[column])]);
}

/** What the MAC of a restore covers: also the name of its file, in which no other record can take its place. */
export function sealedForm(file: string, form: string): readonly string[] {
  return ['restore', basename(file), form];
}
