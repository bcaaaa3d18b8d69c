import BetterSqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { openSqliteConnection } from '../../database/sqlite/sqlite-connection.ts';
import { sqliteSchemaVersion } from '../../database/schema/sqlite-schema.ts';
import type { Row, TableHead, Value } from './export-format.ts';
import { BATCH, serviceTables } from './transfer-database.ts';
import type { SourceDatabase, TargetDatabase } from './transfer-database.ts';

/**
 * SQLite stores times and texts in one column, which PostgreSQL cannot: there, and in exports, texts that milliseconds would truncate
 * have a column of their own.
 */
const MODIFIED = 'modified';
const MODIFIED_TEXT = 'modified_text';

/** Opens a service's database for reading, as of this moment; a running service may keep writing. */
export function openSqliteSource(file: string): SourceDatabase {
  const database = new BetterSqlite(file, { readonly: true, fileMustExist: true, timeout: 15_000 });
  try {
    database.exec('BEGIN');
    return new SqliteTransfer(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @param file created if it is missing */
export function openSqliteTarget(file: string): TargetDatabase {
  const database = openSqliteConnection(file);
  try {
    database.pragma('synchronous = FULL');
    database.exec('BEGIN IMMEDIATE');
    // Rows may arrive before those that they refer to; COMMIT checks the foreign keys.
    database.pragma('defer_foreign_keys = ON');
    return new SqliteTransfer(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

class SqliteTransfer implements TargetDatabase {
  readonly schema: number;
  readonly tables: readonly TableHead[];
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    const names = database.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
    this.schema = sqliteSchemaVersion(database);
    this.tables = serviceTables()
      .filter((name) => names.includes(name))
      .map((name) => this.#head(name));
  }

  async *rows(table: TableHead): AsyncIterable<readonly Row[]> {
    const columns = table.columns.map((column) => selected(table, column)).join(', ');
    const statement = this.#database.prepare<[], Value[]>(`SELECT ${columns} FROM ${quoted(table.table)}`).raw();
    let batch: Row[] = [];
    for (const row of statement.iterate()) {
      batch.push(row);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  async clear(): Promise<void> {
    for (const { table } of this.tables) this.#database.exec(`DELETE FROM ${quoted(table)}`);
  }

  async insert(table: TableHead, rows: readonly Row[]): Promise<void> {
    const text = table.columns.indexOf(MODIFIED_TEXT);
    const time = table.columns.indexOf(MODIFIED);
    const stored = text < 0 ? table.columns : table.columns.filter((column) => column !== MODIFIED_TEXT);
    const names = stored.map(quoted).join(', ');
    const places = stored.map(() => '?').join(', ');
    const insert = this.#database.prepare(`INSERT INTO ${quoted(table.table)} (${names}) VALUES (${places})`);
    for (const row of rows) {
      if (text < 0) insert.run(...row);
      else
        insert.run(
          ...row
            .map((value, index) => (index === time ? (row[text] ?? value) : value))
            .filter((_, index) => index !== text),
        );
    }
  }

  async commit(tables: readonly TableHead[]): Promise<void> {
    const find = this.#database.prepare('SELECT 1 FROM sqlite_sequence WHERE name = ?');
    const change = this.#database.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?');
    const add = this.#database.prepare('INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)');
    for (const { table, highest } of tables) {
      for (const number of Object.values(highest)) (find.get(table) ? change : add).run(number, table);
    }
    this.#database.exec('COMMIT');
  }

  async close(): Promise<void> {
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
    this.#database.close();
  }

  #head(table: string): TableHead {
    const columns = this.#database
      .prepare<[string], { name: string; pk: number }>('SELECT name, pk FROM pragma_table_info(?)')
      .all(table);
    const names = columns.map(({ name }) => name);
    if (table === 'file_version') names.push(MODIFIED_TEXT);
    const key = columns.find(({ pk }) => pk === 1)?.name;
    const highest = this.#database
      .prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?')
      .pluck()
      .get(table);
    return {
      table,
      columns: names.toSorted(),
      highest: key === undefined || highest === undefined ? {} : { [key]: highest },
    };
  }
}

function selected({ table }: TableHead, column: string): string {
  if (table !== 'file_version') return quoted(column);
  if (column === MODIFIED) return `iif(typeof(${MODIFIED}) = 'text', NULL, ${MODIFIED})`;
  return column === MODIFIED_TEXT ? `iif(typeof(${MODIFIED}) = 'text', ${MODIFIED}, NULL)` : quoted(column);
}

function quoted(name: string): string {
  return `"${name}"`;
}
