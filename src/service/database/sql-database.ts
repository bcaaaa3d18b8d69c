import type { Kysely, Transaction } from 'kysely';
import type { SqlDialect } from './schema/column-types.ts';
import type { AccountEvent } from './account-event.ts';
import type { Tables } from './tables.ts';

/** The service's database, for queries that are written once for SQLite and PostgreSQL. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** Runs single statements. Anything that must be durable, or takes several statements, goes through `transaction`. */
  readonly queries: Kysely<Tables>;
  /**
   * Runs `work` as if nobody else used the database at the same time. Its changes are durable when the promise resolves, and
   * rolled back if `work` throws. `work` awaits only its own queries, and changes nothing but the database, since it may be
   * run again from the start.
   */
  readonly transaction: RunTransaction;
  /**
   * Like `transaction`, at PostgreSQL's default isolation: each statement sees what others have committed before it. Meant for
   * large writes, since a serializable transaction tracks every row that it reads; `work` takes the locks that it needs. In
   * SQLite it is the same as `transaction`.
   */
  readonly lockingTransaction: RunTransaction;
  /**
   * Runs `work` unless another process is running something under this name; then returns `undefined`. The name is released
   * when a process dies.
   */
  readonly exclusively: <Result>(name: string, work: () => Promise<Result>) => Promise<Result | undefined>;
  /** Identifies the database and the cluster that it is in; `undefined` for a file. A database that was restored elsewhere has another one. */
  readonly place: () => Promise<string | undefined>;
  /** Checks the structure of the file. Returns the problem; `undefined` if there is none, or if the database checks itself. */
  readonly structureProblem: () => Promise<string | undefined>;
  close(): Promise<void>;
}

export type RunTransaction = <Result>(work: (transaction: SqlTransaction) => Promise<Result>) => Promise<Result>;

export interface SqlTransaction {
  readonly dialect: SqlDialect;
  readonly queries: Transaction<Tables>;
  /** Records an event in the transaction of its fact: both are committed or neither is. */
  emit(event: AccountEvent): Promise<void>;
}

/** The part of a database or transaction that reading queries need. */
export type Queries = Pick<SqlDatabase, 'queries' | 'dialect'>;
