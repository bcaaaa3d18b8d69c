import type Database from 'better-sqlite3';

/** Statements that stay prepared for one connection. Texts of queries with lists of values differ by their number. */
const MOST = 500;

type Statements = Map<string, Database.Statement>;

const whole = new WeakMap<Database.Database, Statements>();
const plucked = new WeakMap<Database.Database, Statements>();

/**
 * Returns the prepared statement of a connection, which is prepared by the first call: that takes longer than running a short one.
 * All callers share it. So its mode (`raw`, `expand`, …) must not be changed, and it must not be iterated over.
 */
export function prepareOnce<Parameters extends unknown[] = unknown[], Row = unknown>(
  database: Database.Database,
  sql: string,
): Database.Statement<Parameters, Row> {
  return remembered(whole, database, sql, () => database.prepare(sql)) as Database.Statement<Parameters, Row>;
}

/** Like `prepareOnce`, for a statement that returns the first column alone. */
export function pluckOnce<Parameters extends unknown[] = unknown[], Value = unknown>(
  database: Database.Database,
  sql: string,
): Database.Statement<Parameters, Value> {
  return remembered(plucked, database, sql, () => database.prepare(sql).pluck()) as Database.Statement<
    Parameters,
    Value
  >;
}

function remembered(
  of: WeakMap<Database.Database, Statements>,
  database: Database.Database,
  sql: string,
  prepare: () => Database.Statement,
): Database.Statement {
  let statements = of.get(database);
  if (!statements) of.set(database, (statements = new Map()));
  let statement = statements.get(sql);
  if (!statement) {
    const oldest = statements.size < MOST ? undefined : statements.keys().next().value;
    if (oldest !== undefined) statements.delete(oldest);
    statements.set(sql, (statement = prepare()));
  }
  return statement;
}
