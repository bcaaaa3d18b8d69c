import { type Kysely, sql } from 'kysely';
import { type NewAuditEntry, addAuditEntry } from '../audit/audit.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { Tables } from '../database/tables.ts';

/** How much the devices of one person may back up, and do. Bytes of files. */
export interface Quota {
  readonly limit: number;
  readonly sets: readonly UsedBySet[];
}

/** What counts for a set of a device. */
export interface UsedBySet {
  readonly setNumber: number;
  /** The size of the newest backup. */
  readonly newest: number;
  /** What its restore points brought that the account did not have. */
  readonly brought: number;
  /** What the largest of its open sessions brings: the others were most likely given up. */
  readonly opening: number;
}

/** Returns the bytes that a set counts for. */
export function usedBy({ newest, brought }: Pick<UsedBySet, 'newest' | 'brought'>): number {
  return Math.max(newest, brought);
}

/**
 * Limits of persons within an account. A person uses, for each set of the devices that they registered, the size of the newest backup
 * or what all kept restore points brought, whichever is more; whether or not others have the same files.
 */
export interface QuotaStore {
  /** Returns false if the account has no such member. @param limit bytes; `undefined` for none */
  set(accountId: string, userId: string, limit: number | undefined, audit: NewAuditEntry): Promise<boolean>;
  /** Returns the quota of the person who registered a device; `undefined` without one. */
  ofDevice(deviceId: string): Promise<Quota | undefined>;
  /** Returns the limits of an account's members that have one. */
  limits(accountId: string): Promise<ReadonlyMap<string, number>>;
  /** Returns what the members of an account use; those who use nothing are missing. */
  used(accountId: string): Promise<ReadonlyMap<string, number>>;
}

export function createQuotaStore({ queries, transaction }: SqlDatabase): QuotaStore {
  return {
    set: (accountId, userId, limit, audit) =>
      transaction(async (inside) => {
        const change = inside.queries.updateTable('user').set({ quota_bytes: limit ?? null });
        const { numUpdatedRows } = await change
          .where('id', '=', userId)
          .where('account_id', '=', accountId)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await addAuditEntry(inside.queries, audit);
        return true;
      }),
    ofDevice: async (deviceId) => {
      const person = await queries
        .selectFrom('device_activity as a')
        .innerJoin('user as u', 'u.id', 'a.registered_by')
        .select(['u.id', 'u.quota_bytes'])
        .where('a.device_id', '=', deviceId)
        .where('u.quota_bytes', 'is not', null)
        .executeTakeFirst();
      if (!person) return undefined;
      const rows = await keptSets(queries).where('a.registered_by', '=', person.id).execute();
      return { limit: person.quota_bytes!, sets: rows.map(setOf) };
    },
    limits: async (accountId) => {
      const limited = queries.selectFrom('user').select(['id', 'quota_bytes']).where('account_id', '=', accountId);
      const rows = await limited.where('quota_bytes', 'is not', null).execute();
      return new Map(rows.map(({ id, quota_bytes: limit }) => [id, limit!]));
    },
    used: async (accountId) => {
      const used = new Map<string, number>();
      for (const row of await keptSets(queries).where('s.account_id', '=', accountId).execute()) {
        const userId = row.registered_by!;
        used.set(userId, (used.get(userId) ?? 0) + usedBy(setOf(row)));
      }
      return used;
    },
  };
}

function setOf(row: { set_number: number; newest: number | null; brought: number; opening: number }): UsedBySet {
  const { set_number: setNumber, newest, brought, opening } = row;
  return { setNumber, newest: newest ?? 0, brought, opening };
}

/** Selects the sets that have restore points or open sessions, with who registered their device. */
function keptSets(queries: Kysely<Tables>) {
  return queries
    .selectFrom('session as s')
    .innerJoin('device_activity as a', 'a.device_id', 's.device_id')
    .select([
      's.set_number',
      'a.registered_by',
      sql<number>`cast(sum(CASE WHEN s.state = 'open' THEN 0 ELSE s.bytes_needed END) as bigint)`.as('brought'),
      sql<number>`max(CASE WHEN s.state = 'open' THEN s.bytes_needed ELSE 0 END)`.as('opening'),
    ])
    .select((select) =>
      select
        .selectFrom('session as n')
        .select('n.bytes')
        .whereRef('n.set_number', '=', 's.set_number')
        .where('n.sequence', 'is not', null)
        .where('n.removed_at', 'is', null)
        .orderBy('n.restore_point', 'desc')
        .limit(1)
        .as('newest'),
    )
    .where('a.registered_by', 'is not', null)
    .where((where) =>
      where.or([
        where.and([where('s.sequence', 'is not', null), where('s.removed_at', 'is', null)]),
        where('s.state', '=', 'open'),
      ]),
    )
    .groupBy(['s.set_number', 'a.registered_by']);
}
