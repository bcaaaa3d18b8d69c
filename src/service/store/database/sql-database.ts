import type { Kysely, Transaction } from 'kysely';
import type { AccountEvent } from '../webhooks/account-event.ts';
import type { Tables } from './tables.ts';

/** The service's database for stores that are written once, for SQLite and PostgreSQL alike. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  /** For single statements. What has to be on disk, or takes more than one statement, goes through `transaction`. */
  readonly queries: Kysely<Tables>;
  /**
   * Runs `work` as if nobody else used the database meanwhile; what it did is on disk when this resolves, and undone when
   * `work` throws. `work` waits for nothing but its own queries, and may be run again from the start, so it changes nothing
   * but the database.
   */
  readonly transaction: <Result>(work: (transaction: SqlTransaction) => Promise<Result>) => Promise<Result>;
  /**
   * Runs `work` unless another process is running something under this name at the moment; then it answers nothing. A
   * process that dies gives the name free.
   */
  readonly exclusively: <Result>(name: string, work: () => Promise<Result>) => Promise<Result | undefined>;
}

export type SqlDialect = 'sqlite' | 'postgres';

export interface SqlTransaction {
  readonly dialect: SqlDialect;
  readonly queries: Transaction<Tables>;
  /** Records an event with the fact that it tells: both are kept or neither is. */
  emit(event: AccountEvent): Promise<void>;
}
