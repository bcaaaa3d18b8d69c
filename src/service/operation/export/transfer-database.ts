import BetterSqlite from 'better-sqlite3';
import { schemaSql } from '../../database/schema/schema.ts';
import type { Row, TableHead } from './export-format.ts';

/** A database that is read as of one moment, whatever is written meanwhile. */
export interface SourceDatabase {
  /** The version of its schema; 0 without tables. */
  readonly schema: number;
  /** The tables of the service, by name. */
  readonly tables: readonly TableHead[];
  /** Reads the rows of a table in batches. */
  rows(table: TableHead): AsyncIterable<readonly Row[]>;
  close(): Promise<void>;
}

/** A database that is filled in one transaction. */
export interface TargetDatabase extends SourceDatabase {
  /** Deletes the rows that the schema itself inserts. */
  clear(): Promise<void>;
  insert(table: TableHead, rows: readonly Row[]): Promise<void>;
  /** Checks foreign keys, continues numbering after the highest numbers, and commits. */
  commit(tables: readonly TableHead[]): Promise<void>;
}

/** Tables of which at least one has rows in any service that was used. */
export const FIRST_TABLES: readonly string[] = ['account', 'secret'];

let known: readonly string[] | undefined;

/** Returns the names of a service's tables; others in the same database do not belong to it. */
export function serviceTables(): readonly string[] {
  if (known) return known;
  const database = new BetterSqlite(':memory:');
  try {
    database.exec(schemaSql('sqlite'));
    const names = database
      .prepare<[], string>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
      )
      .pluck()
      .all();
    known = names.toSorted();
    return known;
  } finally {
    database.close();
  }
}

/** Rows that are read and written at once. */
export const BATCH = 500;
