import BetterSqlite from 'better-sqlite3';
import { schemaSql } from '../../store/schema/schema.ts';
import type { Row, TableHead } from './export-format.ts';

/** A database that is read as it stood at one moment, whatever is written meanwhile. */
export interface SourceDatabase {
  /** The version of its schema; 0 without tables. */
  readonly schema: number;
  /** The tables of the service, by name. */
  readonly tables: readonly TableHead[];
  /** Its rows, in batches. */
  rows(table: TableHead): AsyncIterable<readonly Row[]>;
  close(): Promise<void>;
}

/** A database of the newest schema that is filled in one transaction. */
export interface TargetDatabase extends SourceDatabase {
  /** Takes out what the schema itself put into its tables. */
  clear(): Promise<void>;
  insert(table: TableHead, rows: readonly Row[]): Promise<void>;
  /** Checks what refers to what, goes on numbering behind the highest numbers, and makes all of it last. */
  commit(tables: readonly TableHead[]): Promise<void>;
}

/** No service has anything before it has one of these. */
export const FIRST_TABLES: readonly string[] = ['account', 'secret'];

let known: readonly string[] | undefined;

/** The tables of a service, by name: others in the same database are somebody else's. */
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
