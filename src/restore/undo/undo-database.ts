import Database from 'better-sqlite3';
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { RecordSeal } from './record-seal.ts';

const SCHEMA = `
  CREATE TABLE restore (form TEXT NOT NULL, mac TEXT NOT NULL);
  CREATE TABLE change (
    id INTEGER PRIMARY KEY, location TEXT NOT NULL UNIQUE, made INTEGER NOT NULL, existed INTEGER NOT NULL DEFAULT 0,
    type TEXT, size INTEGER, mode INTEGER,
    seconds INTEGER, nanoseconds INTEGER, target TEXT, aside TEXT, attributes TEXT, state INTEGER NOT NULL DEFAULT 0,
    state_mac TEXT, mac TEXT);
  CREATE TABLE earlier (id INTEGER PRIMARY KEY, location TEXT NOT NULL, aside TEXT NOT NULL, mac TEXT,
    UNIQUE (location, aside));
`;

/**
 * What the MAC of a change covers. Its state changes while it is undone and has a MAC of its own. With the ids, which begin at 1
 * and have no gaps, no row can be taken away unnoticed.
 */
const SEALED = [
  'id',
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
const MAC_OF_EARLIER = 'UPDATE earlier SET mac = seal_earlier(NEW.id, NEW.location, NEW.aside) WHERE id = NEW.id';
/** Of the connection: the function needs the key. */
const SEAL_CHANGES = `
  CREATE TEMP TRIGGER seal_new AFTER INSERT ON main.change BEGIN ${MAC_OF_NEW}; END;
  CREATE TEMP TRIGGER seal_changed AFTER UPDATE OF ${SEALED.join(', ')} ON main.change BEGIN ${MAC_OF_NEW}; END;
  CREATE TEMP TRIGGER seal_earlier AFTER INSERT ON main.earlier BEGIN ${MAC_OF_EARLIER}; END;
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
    database.function('known_state', (id: unknown, state: unknown, mac: unknown) =>
      knownState(file, { id, state, state_mac: mac }, seal),
    );
    if (!hasOwnSchema(database)) return database;
    database.function('seal', { varargs: true }, (...values: unknown[]) =>
      seal.of(['change', basename(file), ...values]),
    );
    database.function('seal_earlier', { varargs: true }, (...values: unknown[]) =>
      seal.of(['earlier', basename(file), ...values]),
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

/** What the MAC of a state covers. */
export function sealedState(file: string, id: unknown, state: unknown): readonly unknown[] {
  return ['state', basename(file), id, state];
}

/** Returns the state of a change; 0 if this home did not write the state, so that the change is undone from its beginning. */
export function knownState(file: string, row: Readonly<Record<string, unknown>>, seal: RecordSeal): 0 | 1 | 2 {
  const { id, state, state_mac: mac } = row;
  return (state === 1 || state === 2) && seal.isOf(mac, sealedState(file, id, state)) ? state : 0;
}

/** Numbers of rows, which the record of the restore says. */
export interface RecordSizes {
  readonly changes: number;
  readonly earlier: number;
}

export function sizesOf(database: Database.Database): RecordSizes {
  const sizes = 'SELECT (SELECT count(*) FROM change) AS changes, (SELECT count(*) FROM earlier) AS earlier';
  return database.prepare<[], RecordSizes>(sizes).get()!;
}

/** Returns whether no row was taken away: those that were there at the time of `known` are, and there are no gaps. */
export function hasAllRows(
  database: Database.Database,
  known: { readonly [Table in keyof RecordSizes]?: number | undefined } | undefined,
): boolean {
  const last = 'SELECT (SELECT max(id) FROM change) AS changes, (SELECT max(id) FROM earlier) AS earlier';
  const ids = database.prepare<[], Record<keyof RecordSizes, number | null>>(last).get()!;
  const sizes = sizesOf(database);
  return (['changes', 'earlier'] as const).every(
    (table) => sizes[table] === (ids[table] ?? 0) && sizes[table] >= (known?.[table] ?? 0),
  );
}

/** The places of the versions that were kept before the newest one, newest first; `undefined` if one was not written by this home. */
export function earlierPlacesIn(
  database: Database.Database,
  file: string,
  location: string,
  seal: RecordSeal,
): readonly string[] | undefined {
  const query = 'SELECT id, aside, mac FROM earlier WHERE location = ? ORDER BY id DESC';
  const rows = database.prepare<[string], { id: number; aside: string; mac: unknown }>(query).all(location);
  const areSealed = rows.every(({ id, aside, mac }) =>
    seal.isOf(mac, ['earlier', basename(file), id, location, aside]),
  );
  return areSealed ? rows.map(({ aside }) => aside) : undefined;
}

/** What the MAC of a restore covers: also the name of its file, in which no other record can take its place. */
export function sealedForm(file: string, form: string): readonly string[] {
  return ['restore', basename(file), form];
}

export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}
