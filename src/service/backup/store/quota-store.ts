import { type Kysely, sql } from 'kysely';
import { type NewAuditEntry, addAuditEntry, previousDetails } from '../../audit/audit-store.ts';
import type { SqlDatabase, SqlTransaction } from '../../database/sql-database.ts';
import type { Tables } from '../../database/tables.ts';
import { DAY } from '../../../model/units.ts';

/** Milliseconds for which the uploads of a failed session count: by then they are collected, or a restore point counts for them. */
const FAILED_COUNTS = 9 * DAY;

/** A person's devices would use more than the quota, and more than before. */
export class PersonQuotaError extends Error {
  override readonly name = 'PersonQuotaError';
  readonly limit: number;
  /** Bytes, before and after the refused change. */
  readonly used: number;
  readonly next: number;
  /** Whether the change is permitted once the other sessions of its set have ended. */
  readonly fitsAlone: boolean;

  constructor({ limit, used, next, fitsAlone }: Pick<PersonQuotaError, 'limit' | 'used' | 'next' | 'fitsAlone'>) {
    super(`${used} of ${limit} bytes are used, ${next} would be`);
    this.limit = limit;
    this.used = used;
    this.next = next;
    this.fitsAlone = fitsAlone;
  }
}

/**
 * Limits of persons within an account, also of those who left it while their devices go on. A person uses, for each set of the devices that they registered, the size of the newest backup
 * or what all kept restore points brought, whichever is more; whether or not others have the same files. Unfinished sessions count as
 * if they were completed. What a failed session has uploaded counts until it is collected, or a restore point counts for it.
 */
export function createQuotaStore({ queries, transaction }: SqlDatabase) {
  return {
    /** Returns false if nobody of this id belongs to the account, or left devices to it. @param limit bytes; `undefined` for none */
    set: (accountId: string, userId: string, limit: number | undefined, audit: NewAuditEntry): Promise<boolean> =>
      transaction(async (inside) => {
        if (!(await isPersonOf(inside.queries, accountId, userId))) return false;
        const earlier = inside.queries.selectFrom('person_quota').select('bytes').where('user_id', '=', userId);
        const before = await earlier.executeTakeFirst();
        if (limit === undefined) {
          await inside.queries.deleteFrom('person_quota').where('user_id', '=', userId).execute();
        } else {
          // Not replaced: who waits for a row that is deleted finds no limit.
          const added = inside.queries.insertInto('person_quota');
          await added
            .values({ user_id: userId, account_id: accountId, bytes: limit })
            .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ bytes: limit }))
            .execute();
        }
        const previous = previousDetails(before ? { limit_bytes: String(before.bytes) } : {});
        await addAuditEntry(inside.queries, { ...audit, details: { ...audit.details, ...previous } });
        return true;
      }),
    /** Returns the limits of an account's persons that have one. */
    limits: async (accountId: string): Promise<ReadonlyMap<string, number>> => {
      const quotas = queries.selectFrom('person_quota').selectAll().where('account_id', '=', accountId);
      return new Map((await quotas.execute()).map(({ user_id: id, bytes }) => [id, bytes]));
    },
    /** Returns what the members of an account use, without unfinished sessions; those who use nothing are missing. */
    used: async (accountId: string, now: number): Promise<ReadonlyMap<string, number>> => {
      const used = new Map<string, number>();
      for (const row of await countedSets(queries, now).where('s.account_id', '=', accountId).execute()) {
        const userId = row.registered_by!;
        used.set(userId, (used.get(userId) ?? 0) + Math.max(row.newest ?? 0, row.brought));
      }
      return used;
    },
  };
}

/**
 * Makes a change to a session, and refuses it if the person who registered the device would use more than their quota, and more than
 * before. Changes of one person wait for each other.
 *
 * @param transaction its statements see what others have committed before them
 * @throws PersonQuotaError
 */
export async function withinQuota<Result>(
  { queries, dialect }: SqlTransaction,
  session: number,
  change: () => Promise<Result>,
): Promise<Result> {
  const person = await limitedSession(queries, session)
    .select(['q.user_id', 'q.bytes', 's.set_number', 's.active_at'])
    .$if(dialect === 'postgres', (query) => query.forUpdate('q'))
    .executeTakeFirst();
  if (!person) return change();
  const use = () => countedSets(queries, person.active_at).where('a.registered_by', '=', person.user_id).execute();
  const used = sumOf(await use());
  const result = await change();
  const sets = await use();
  const [limit, next] = [person.bytes, sumOf(sets)];
  if (next <= limit || next <= used) return result;
  const own = await countedSets(queries, person.active_at, session)
    .where('s.set_number', '=', person.set_number)
    .execute();
  const alone = sumOf(sets.filter(({ set_number: number }) => number !== person.set_number)) + sumOf(own);
  throw new PersonQuotaError({ limit, used, next, fitsAlone: alone <= limit });
}

/**
 * Lets a completed session count for what failed sessions of the person have uploaded, as far as its files can consist of it: a
 * session that continues where another ended does not upload it again.
 */
export async function takeOverFailed({ queries, dialect }: SqlTransaction, session: number): Promise<void> {
  const own = await limitedSession(queries, session)
    .select(['q.user_id', 's.bytes', 's.bytes_needed', 's.active_at'])
    .executeTakeFirst();
  if (!own) return;
  const failed = await queries
    .selectFrom('session as s')
    .innerJoin('device_activity as a', 'a.device_id', 's.device_id')
    .select(['s.number', 's.bytes_needed'])
    .where('a.registered_by', '=', own.user_id)
    // A literal, so that SQLite uses the index of failed sessions.
    .where('s.state', '=', sql.lit('failed'))
    .where('s.swept', '=', 1)
    .where('s.bytes_needed', '>', 0)
    .where('s.ended_at', '>', own.active_at - FAILED_COUNTS)
    .orderBy('s.number')
    .$if(dialect === 'postgres', (query) => query.forUpdate('s'))
    .execute();
  let room = own.bytes - own.bytes_needed;
  const add = (number: number, bytes: number) =>
    queries
      .updateTable('session')
      .set((update) => ({ bytes_needed: update('bytes_needed', '+', bytes) }))
      .where('number', '=', number)
      .execute();
  for (const { number, bytes_needed: bytes } of failed) {
    const taken = Math.min(room, bytes);
    if (taken <= 0) return;
    await add(number, -taken);
    await add(session, taken);
    room -= taken;
  }
}

/** Selects a session with the person who registered its device, if that person has a quota. */
function limitedSession(queries: Kysely<Tables>, session: number) {
  return queries
    .selectFrom('session as s')
    .innerJoin('device_activity as a', 'a.device_id', 's.device_id')
    .innerJoin('person_quota as q', 'q.user_id', 'a.registered_by')
    .where('s.number', '=', session);
}

/** Returns whether a person is a member of the account, or left it and registered devices of it. */
async function isPersonOf(queries: Kysely<Tables>, accountId: string, userId: string): Promise<boolean> {
  const member = queries.selectFrom('user').select('id').where('id', '=', userId).where('account_id', '=', accountId);
  const device = queries
    .selectFrom('device_activity as a')
    .innerJoin('device as d', 'd.id', 'a.device_id')
    .select('d.id')
    .where('a.registered_by', '=', userId)
    .where('d.account_id', '=', accountId)
    .limit(1);
  return ((await member.executeTakeFirst()) ?? (await device.executeTakeFirst())) !== undefined;
}

function sumOf(sets: readonly { newest: number | null; opening: number | null; brought: number; reserved: number }[]) {
  const bytes = sets.map((set) => Math.max(set.newest ?? 0, set.opening ?? 0, set.brought + set.reserved));
  return bytes.reduce((sum, one) => sum + one, 0);
}

/**
 * Selects the sets that a person's quota counts, with who registered their device: the size of the newest backup and of the largest
 * open session, what restore points and failed sessions brought, and what unfinished sessions bring.
 *
 * @param only the only unfinished session that counts
 */
function countedSets(queries: Kysely<Tables>, now: number, only?: number) {
  return queries
    .selectFrom('session as s')
    .innerJoin('device_activity as a', 'a.device_id', 's.device_id')
    .select([
      's.set_number',
      'a.registered_by',
      sql<number>`cast(sum(CASE WHEN s.state IN ('open', 'waiting') THEN 0 ELSE s.bytes_needed END) as bigint)`.as(
        'brought',
      ),
      sql<number>`cast(sum(CASE WHEN s.state IN ('open', 'waiting') THEN s.bytes_needed ELSE 0 END) as bigint)`.as(
        'reserved',
      ),
      sql<number | null>`max(CASE WHEN s.state = 'open' THEN s.bytes END)`.as('opening'),
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
    .where((where) => {
      const unfinished = where('s.state', 'in', ['open', 'waiting']);
      return where.or([
        where.and([where('s.sequence', 'is not', null), where('s.removed_at', 'is', null)]),
        only === undefined ? unfinished : where.and([unfinished, where('s.number', '=', only)]),
        where.and([where('s.state', '=', 'failed'), where('s.ended_at', '>', now - FAILED_COUNTS)]),
      ]);
    })
    .groupBy(['s.set_number', 'a.registered_by']);
}
