import { sql } from 'kysely';
import type { RetentionPolicy } from '../../protocol/retention.ts';
import type { SqlDatabase, SqlTransaction } from '../database/sql-database.ts';

/** All sets of an account, or one. */
type RetentionScope = { readonly accountId: string } | { readonly setNumber: number };

/** Policies, minimum retention, holds and pins; each change is durable when it resolves. */
export function createRetentionDecisions(database: SqlDatabase) {
  const { transaction } = database;
  const heldSince = async (accountId: string): Promise<number | undefined> => {
    const row = await database.queries
      .selectFrom('retention_account')
      .select('held_at')
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row?.held_at ?? undefined;
  };
  return {
    /** Sets a policy that counts as applied now: its effect can be reviewed for a day before it removes anything. */
    setPolicy: (setNumber: number, policy: RetentionPolicy | undefined, now: number): Promise<void> =>
      transaction(async ({ queries }) => {
        const newest = queries
          .selectFrom('session')
          .select((session) => session.fn.max('restore_point').as('newest'))
          .where('set_number', '=', setNumber)
          .where('sequence', 'is not', null);
        const { newest: since } = await newest.executeTakeFirstOrThrow();
        const policyJson = policy ? JSON.stringify(policy) : null;
        const decided = { policy_json: policyJson, policy_since: since, applied_at: now };
        await queries
          .insertInto('retention_set')
          .values({ set_number: setNumber, ...decided })
          .onConflict((conflict) => conflict.column('set_number').doUpdateSet(decided))
          .execute();
      }),
    /** Extends the minimum; a shorter one changes nothing. Returns the effective one. */
    lengthen: (scope: RetentionScope, days: number): Promise<number> =>
      transaction((inside) => lengthen(inside, scope, days)),
    /** Prevents removals in the account from now on. */
    hold: (accountId: string, now: number): Promise<void> =>
      transaction(async ({ queries }) => {
        await queries
          .insertInto('retention_account')
          .values({ account_id: accountId, held_at: now })
          .onConflict((conflict) =>
            conflict
              .column('account_id')
              .doUpdateSet({ held_at: sql<number>`coalesce(retention_account.held_at, ${now})` }),
          )
          .execute();
      }),
    /** Allows removals again; returns false if they were allowed. */
    release: (accountId: string): Promise<boolean> =>
      transaction(async ({ queries }) => {
        const { numUpdatedRows } = await queries
          .updateTable('retention_account')
          .set({ held_at: null })
          .where('account_id', '=', accountId)
          .where('held_at', 'is not', null)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),
    isHeld: async (accountId: string): Promise<boolean> => (await heldSince(accountId)) !== undefined,
    /** Returns when the hold began; `undefined` without one. */
    heldSince,
    /** Returns false if the restore point was already pinned (or unpinned), or is gone. */
    pin: (session: number, now: number): Promise<boolean> =>
      transaction(async ({ queries }) => {
        const point = await queries
          .selectFrom('session')
          .select('number')
          .where('number', '=', session)
          .where('removed_at', 'is', null)
          .executeTakeFirst();
        if (!point) return false;
        const { numInsertedOrUpdatedRows } = await queries
          .insertInto('pinned_point')
          .values({ session, pinned_at: now })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        return (numInsertedOrUpdatedRows ?? 0n) > 0n;
      }),
    unpin: (session: number): Promise<boolean> =>
      transaction(async ({ queries }) => {
        const { numDeletedRows } = await queries
          .deleteFrom('pinned_point')
          .where('session', '=', session)
          .executeTakeFirst();
        return numDeletedRows > 0n;
      }),
  };
}

async function lengthen({ queries }: SqlTransaction, scope: RetentionScope, days: number): Promise<number> {
  if ('setNumber' in scope) {
    await queries
      .insertInto('retention_set')
      .values({ set_number: scope.setNumber, policy_json: null, policy_since: null, minimum_days: days })
      .onConflict((conflict) =>
        conflict
          .column('set_number')
          .doUpdateSet({ minimum_days: days })
          .where('retention_set.minimum_days', '<', days),
      )
      .execute();
    const row = await queries
      .selectFrom('retention_set')
      .select('minimum_days')
      .where('set_number', '=', scope.setNumber)
      .executeTakeFirstOrThrow();
    return row.minimum_days;
  }
  await queries
    .insertInto('retention_account')
    .values({ account_id: scope.accountId, held_at: null, minimum_days: days })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet({ minimum_days: days })
        .where('retention_account.minimum_days', '<', days),
    )
    .execute();
  const row = await queries
    .selectFrom('retention_account')
    .select('minimum_days')
    .where('account_id', '=', scope.accountId)
    .executeTakeFirstOrThrow();
  return row.minimum_days;
}
