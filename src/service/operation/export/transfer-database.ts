import BetterSqlite from 'better-sqlite3';
import { schemaSql } from '../../store/schema/schema.ts';
import type { Row, TableHead } from './export-format.ts';

/** A database snapshot, unaffected by concurrent writes. */
export interface SourceDatabase {
  /** The schema version; 0 without tables. */
  readonly schema: number;
  /** The tables of the service, by name. */
  readonly tables: readonly TableHead[];
  /** Yields its rows in batches. */
  rows(table: TableHead): AsyncIterable<readonly Row[]>;
  close(): Promise<void>;
}

/** A database with the current schema that is filled in one transaction. */
export interface TargetDatabase extends SourceDatabase {
  /** Deletes rows that the schema itself inserted. */
  clear(): Promise<void>;
  insert(table: TableHead, rows: readonly Row[]): Promise<void>;
  /** Checks references, continues numbering after the highest numbers, and commits. */
  commit(tables: readonly TableHead[]): Promise<void>;
}

/** A service is empty without rows in these. */
export const FIRST_TABLES: readonly string[] = ['account', 'secret'];

let known: readonly string[] | undefined;

/** The tables of a service by name; others in the same database belong to somebody else. */
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

/** Rows per batch. */
export const BATCH = 500;
