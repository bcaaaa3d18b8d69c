import type { Selectable } from 'kysely';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { EmittedEvent } from '../../protocol/webhooks.ts';
import type { SqlDatabase, SqlTransaction } from '../database/sql-database.ts';
import type { AccountPlanTable } from '../database/tables.ts';

export interface AccountPlan {
  readonly name: string;
  /** Bytes of the account's blobs; `undefined` for no limit. */
  readonly limit: number | undefined;
  readonly changedAt: number;
  /** When a payment failed that has not been made since. */
  readonly paymentFailedAt: number | undefined;
}

export interface NewPlan {
  readonly name: string;
  readonly limit: number | undefined;
}

export interface FailedPayment {
  readonly reason: string;
  /** Decimal. */
  readonly amount: string | undefined;
  /** ISO 4217. */
  readonly currency: string | undefined;
}

/** A message of a payment provider: applied once, and ignored if a newer one about the same subject arrived before it. */
export interface BillingNotice {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
}

export type NoticeOutcome = 'applied' | 'repeated' | 'outdated';

/** The share of the plan's limit at which `billing.approaching_limit` is emitted, as the interface defines it. */
export const LIMIT_THRESHOLD_PERCENT = 80;

/**
 * Compares the use of storage with the threshold. Returns `report` if it has risen above it, `rearm` if it has fallen below it
 * again, so that the next rise is reported too.
 *
 * @param limit bytes; `undefined` for no limit
 */
export function limitCrossing(
  used: number,
  limit: number | undefined,
  isReported: boolean,
): 'report' | 'rearm' | undefined {
  const over = limit !== undefined && 100 * used >= LIMIT_THRESHOLD_PERCENT * limit;
  if (over === isReported) return undefined;
  return over ? 'report' : 'rearm';
}

/** The name of the plan of an account without one. */
const NO_PLAN = 'none';

export type PlanStore = ReturnType<typeof createPlanStore>;

/**
 * Plans and payments. Each change is one transaction with its event. A change without a notice comes from the operator and always
 * applies. Times are milliseconds since the epoch.
 */
export function createPlanStore(database: SqlDatabase) {
  return {
    /** Returns `undefined` if the account has no plan, and so no limit. */
    find: async (accountId: string): Promise<AccountPlan | undefined> => {
      const row = await findPlan(database, accountId);
      if (!row) return undefined;
      const { name, limit_bytes: limit, changed_at: changedAt, payment_failed_at: failedAt } = row;
      return { name, limit: limit ?? undefined, changedAt, paymentFailedAt: failedAt ?? undefined };
    },
    /** Emits `billing.plan_changed` if plan or limit differ from before. */
    set: async (accountId: string, plan: NewPlan, now: number, notice?: BillingNotice): Promise<NoticeOutcome> =>
      database.transaction(async (transaction) => {
        const outcome = await recordNotice(transaction, accountId, 'plan_notice_at', notice);
        if (outcome === 'applied') await setPlan(transaction, accountId, { ...plan, now, notice });
        return outcome;
      }),
    /** Emits `billing.payment_failed`. */
    paymentFailed: async (
      accountId: string,
      { reason, amount, currency }: FailedPayment,
      now: number,
      notice?: BillingNotice,
    ): Promise<NoticeOutcome> =>
      database.transaction(async (transaction) => {
        const outcome = await recordNotice(transaction, accountId, 'payment_notice_at', notice);
        if (outcome !== 'applied') return outcome;
        const plan = await findPlan(transaction, accountId);
        const failedAt = notice?.writtenAt ?? now;
        await transaction.queries
          .updateTable('account_plan')
          .set({ payment_failed_at: failedAt, ...(notice && { payment_notice_at: notice.writtenAt }) })
          .where('account_id', '=', accountId)
          .execute();
        await transaction.emit({
          accountId,
          occurredAt: now,
          event: {
            event: 'billing.payment_failed',
            data: {
              plan: plan?.name ?? NO_PLAN,
              reason,
              amount: amount ?? null,
              currency: currency ?? null,
              failed_at: formatTimestamp(failedAt),
            },
          },
        });
        return outcome;
      }),
    paymentSucceeded: async (accountId: string, notice?: BillingNotice): Promise<NoticeOutcome> =>
      database.transaction(async (transaction) => {
        const outcome = await recordNotice(transaction, accountId, 'payment_notice_at', notice);
        if (outcome !== 'applied') return outcome;
        await transaction.queries
          .updateTable('account_plan')
          .set({ payment_failed_at: null, ...(notice && { payment_notice_at: notice.writtenAt }) })
          .where('account_id', '=', accountId)
          .execute();
        return outcome;
      }),
    /** Compares the use with the limit, and emits `billing.approaching_limit` if it has crossed the threshold. */
    checkUse: async (accountId: string, now: number): Promise<void> => {
      // Most calls change nothing, which takes no transaction to find out.
      const plan = await findPlan(database, accountId);
      if (!plan || crossingOf(plan, await storageUsed(database, accountId)) === undefined) return;
      await database.transaction(async (transaction) => emitCrossing(transaction, accountId, now));
    },
    /** Returns the accounts that have a limit. */
    limitedAccounts: async (): Promise<readonly string[]> => {
      const rows = await database.queries
        .selectFrom('account_plan')
        .select('account_id')
        .where('limit_bytes', 'is not', null)
        .execute();
      return rows.map((row) => row.account_id);
    },
    /** Deletes notices that are too old to be accepted again. */
    pruneNotices: async (before: number): Promise<void> => {
      await database.queries.deleteFrom('billing_notice').where('written_at', '<', before).execute();
    },
  };
}

type Queries = Pick<SqlDatabase, 'queries'>;
type PlanRow = Selectable<AccountPlanTable>;

async function findPlan({ queries }: Queries, accountId: string): Promise<PlanRow | undefined> {
  return queries.selectFrom('account_plan').selectAll().where('account_id', '=', accountId).executeTakeFirst();
}

async function storageUsed({ queries }: Queries, accountId: string): Promise<number> {
  const row = await queries
    .selectFrom('account')
    .select('storage_used')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return row.storage_used;
}

/** Records a notice; returns whether it is new. */
async function recordNotice(
  transaction: SqlTransaction,
  accountId: string,
  newest: 'plan_notice_at' | 'payment_notice_at',
  notice: BillingNotice | undefined,
): Promise<NoticeOutcome> {
  if (!notice) return 'applied';
  const added = await transaction.queries
    .insertInto('billing_notice')
    .values({ id: notice.id, written_at: notice.writtenAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if ((added.numInsertedOrUpdatedRows ?? 0n) === 0n) return 'repeated';
  const plan = await findPlan(transaction, accountId);
  return plan && plan[newest] > notice.writtenAt ? 'outdated' : 'applied';
}

async function setPlan(
  transaction: SqlTransaction,
  accountId: string,
  { name, limit, now, notice }: NewPlan & { readonly now: number; readonly notice: BillingNotice | undefined },
): Promise<void> {
  const before = await findPlan(transaction, accountId);
  const limitBytes = limit ?? null;
  const changed = {
    name,
    limit_bytes: limitBytes,
    changed_at: now,
    ...(notice && { plan_notice_at: notice.writtenAt }),
  };
  await transaction.queries
    .insertInto('account_plan')
    .values({ account_id: accountId, ...changed })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(changed))
    .execute();
  if (before?.name !== name || before.limit_bytes !== limitBytes) {
    const event: EmittedEvent = {
      event: 'billing.plan_changed',
      data: {
        previous_plan: before?.name ?? null,
        plan: name,
        change: changeOf(before?.limit_bytes ?? null, limitBytes),
        previous_limit_bytes: before?.limit_bytes ?? null,
        limit_bytes: limitBytes,
        storage_used_bytes: await storageUsed(transaction, accountId),
        changed_at: formatTimestamp(now),
      },
    };
    await transaction.emit({ accountId, occurredAt: now, event });
  }
  await emitCrossing(transaction, accountId, now);
}

function changeOf(before: number | null, after: number | null): 'upgraded' | 'downgraded' | 'changed' {
  const [from, to] = [before ?? Number.POSITIVE_INFINITY, after ?? Number.POSITIVE_INFINITY];
  if (from === to) return 'changed';
  return to > from ? 'upgraded' : 'downgraded';
}

function crossingOf({ limit_bytes: limit, limit_reported_at: reportedAt }: PlanRow, used: number) {
  return limitCrossing(used, limit ?? undefined, reportedAt !== null);
}

async function emitCrossing(transaction: SqlTransaction, accountId: string, now: number): Promise<void> {
  const plan = await findPlan(transaction, accountId);
  if (!plan) return;
  const used = await storageUsed(transaction, accountId);
  const crossing = crossingOf(plan, used);
  if (crossing === undefined) return;
  await transaction.queries
    .updateTable('account_plan')
    .set({ limit_reported_at: crossing === 'report' ? now : null })
    .where('account_id', '=', accountId)
    .execute();
  if (crossing === 'rearm' || plan.limit_bytes === null) return;
  await transaction.emit({
    accountId,
    occurredAt: now,
    event: {
      event: 'billing.approaching_limit',
      data: {
        plan: plan.name,
        limit_bytes: plan.limit_bytes,
        storage_used_bytes: used,
        used_percent: Math.round((1000 * used) / plan.limit_bytes) / 10,
        threshold_percent: LIMIT_THRESHOLD_PERCENT,
        reached_at: formatTimestamp(now),
      },
    },
  });
}
