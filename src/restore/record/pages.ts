import type Database from 'better-sqlite3';

const PAGE_ROWS = 1000;

/**
 * Yields the rows of a query, a page at a time, so that other statements may run between two of them.
 *
 * @param sql selects what comes after a key, its only parameter, in the order of the keys
 * @param start what comes before the first key
 */
export function* pages<Row, Key>(
  database: Database.Database,
  sql: string,
  start: Key,
  keyOf: (row: Row) => Key,
): Generator<Row> {
  const page = database.prepare<[Key], Row>(`${sql} LIMIT ${PAGE_ROWS}`);
  for (let rows = page.all(start); rows.length > 0; rows = page.all(keyOf(rows.at(-1)!))) yield* rows;
}
