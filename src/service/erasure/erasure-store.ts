import { type Kysely, sql } from 'kysely';
import { type NewAuditEntry, addAuditEntry } from '../audit/audit-store.ts';
import { redactAddresses, redactNames } from '../audit/redaction.ts';
import { removeUser } from '../auth/member-store.ts';
import { UNFINISHED } from '../backup/store/session.ts';
import type { SqlDatabase, SqlTransaction } from '../database/sql-database.ts';
import type { ErasureTable, Tables } from '../database/tables.ts';
import { deleteDeliveries } from './erased-deliveries.ts';
import type { ErasedNames, ErasedParts, Erasure, ErasureScope, ErasureTarget, NamedSet } from './erased-parts.ts';

/** Versions in one statement. */
const STEP = 2_000;

/** Erasures, and the deletion of what they name. Times are milliseconds since the epoch. */
export function createErasureStore(database: SqlDatabase) {
  const { queries, transaction } = database;
  return {
    /** Returns false if the erasure of that target is already requested. */
    request: (erasure: Erasure, audit: NewAuditEntry): Promise<boolean> =>
      transaction(async (inside) => {
        const { numInsertedOrUpdatedRows } = await inside.queries
          .insertInto('erasure')
          .values(rowOf(erasure))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if ((numInsertedOrUpdatedRows ?? 0n) === 0n) return false;
        await addAuditEntry(inside.queries, audit);
        return true;
      }),
    /** Returns the account's erasures, newest first, including performed ones. */
    list: async (accountId: string): Promise<readonly Erasure[]> => {
      const all = queries.selectFrom('erasure').selectAll().where('account_id', '=', accountId);
      return (await all.orderBy('requested_at', 'desc').orderBy('id').execute()).map(erasureOf);
    },
    /** Returns false if there is no such erasure, or it was performed. */
    cancel: (accountId: string, id: string, audit: NewAuditEntry): Promise<boolean> =>
      transaction(async (inside) => {
        const { numDeletedRows } = await inside.queries
          .deleteFrom('erasure')
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .where('erased_at', 'is', null)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await addAuditEntry(inside.queries, audit);
        return true;
      }),
    /** Returns the erasures of all accounts that are due and not performed, the oldest first. */
    due: async (now: number): Promise<readonly Erasure[]> => {
      const waiting = queries.selectFrom('erasure').selectAll().where('erased_at', 'is', null);
      return (await waiting.where('due_at', '<=', now).orderBy('due_at').orderBy('id').execute()).map(erasureOf);
    },
    /** Returns when a set is erased, by itself or with its device, member or account; `undefined` if it is not. */
    dueAtOf: (set: { accountId: string; deviceId: string; setName: string }): Promise<number | undefined> =>
      dueAtOf(queries, set),
    partsOf: (target: ErasureTarget): Promise<ErasedParts> => partsOf(queries, target),
    /** Returns the sets with these numbers. */
    sets: async (numbers: readonly number[]): Promise<readonly NamedSet[]> =>
      numbers.length === 0
        ? []
        : queries
            .selectFrom('backup_set')
            .select(['number', 'device_id as deviceId', 'name'])
            .where('number', 'in', numbers)
            .execute(),
    /** Returns the longest minimum retention, in days, of the account and any of its sets. */
    longestMinimum: (accountId: string): Promise<number> => longestMinimum(queries, accountId),
    /** Returns the numbers of the sets' sessions that have not ended. */
    unfinished: async (setNumbers: readonly number[]): Promise<readonly number[]> => {
      if (setNumbers.length === 0) return [];
      const sessions = queries.selectFrom('session').select('number').where('set_number', 'in', setNumbers);
      return (await sessions.where('state', 'in', UNFINISHED).execute()).map(({ number }) => number);
    },
    /** Returns whether a session of these sets has not ended, is not swept, or ended after `time`. */
    isSettling: async (setNumbers: readonly number[], time: number): Promise<boolean> => {
      if (setNumbers.length === 0) return false;
      const row = await queries
        .selectFrom('session')
        .select('number')
        .where('set_number', 'in', setNumbers)
        .where((where) =>
          where.or([where('state', 'in', UNFINISHED), where('swept', '=', 0), where('ended_at', '>', time)]),
        )
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Deletes a bounded number of versions of a set's files; returns false once none is left. */
    deleteVersions: (setNumber: number): Promise<boolean> => transaction((inside) => deleteVersions(inside, setNumber)),
    /** Deletes a set without versions: its runs, rules, alarms and restores. Removes its name from the audit log. */
    deleteSet: (setNumber: number): Promise<void> => transaction((inside) => deleteSet(inside, setNumber)),
    /** Deletes a device without sets. Removes its names and addresses from the audit log. */
    deleteDevice: (deviceId: string): Promise<void> => transaction((inside) => deleteDevice(inside.queries, deviceId)),
    /** Deletes a user, and the addresses and e-mail address that are left of one who was removed before. */
    deleteMember: (accountId: string, userId: string): Promise<void> =>
      transaction((inside) => deleteMember(inside.queries, accountId, userId)),
    /** Deletes everything that is left of an account without devices, except for its identifiers and its chunks. */
    deleteAccount: (accountId: string, now: number): Promise<void> =>
      transaction((inside) => deleteAccount(inside.queries, accountId, now)),
    /**
     * Deletes a bounded number of an account's webhook deliveries whose body names something erased. Returns the id to continue
     * after; `undefined` at the end.
     */
    deleteDeliveries: (accountId: string, erased: ErasedNames, after: string): Promise<string | undefined> =>
      transaction((inside) => deleteDeliveries(inside.queries, accountId, erased, after)),
    /** Records that an erasure was performed. */
    finish: (id: string, now: number, audit: NewAuditEntry): Promise<void> =>
      transaction(async (inside) => {
        await inside.queries.updateTable('erasure').set({ erased_at: now }).where('id', '=', id).execute();
        await addAuditEntry(inside.queries, audit);
      }),
  };
}

async function dueAtOf(
  queries: Kysely<Tables>,
  { accountId, deviceId, setName }: { accountId: string; deviceId: string; setName: string },
): Promise<number | undefined> {
  const waiting = await queries
    .selectFrom('erasure')
    .select(['scope', 'target', 'due_at'])
    .where('account_id', '=', accountId)
    .where('erased_at', 'is', null)
    .execute();
  if (waiting.length === 0) return undefined;
  const set = await queries
    .selectFrom('backup_set')
    .select('number')
    .where('device_id', '=', deviceId)
    .where('name', '=', setName)
    .executeTakeFirst();
  const activity = await queries
    .selectFrom('device_activity')
    .select('registered_by')
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
  const targets: Readonly<Record<ErasureScope, string | undefined>> = {
    set: set && String(set.number),
    device: deviceId,
    member: activity?.registered_by ?? undefined,
    account: accountId,
  };
  return waiting.find(({ scope, target }) => targets[scope as ErasureScope] === target)?.due_at;
}

async function partsOf(queries: Kysely<Tables>, { accountId, scope, target }: ErasureTarget) {
  if (scope === 'set') {
    const set = queries.selectFrom('backup_set').select('number').where('number', '=', Number(target));
    const row = await set.where('account_id', '=', accountId).executeTakeFirst();
    return { devices: [], sets: row ? [row.number] : [] };
  }
  let ofAccount = queries
    .selectFrom('device')
    .leftJoin('device_activity', 'device_activity.device_id', 'device.id')
    .select('device.id')
    .where('account_id', '=', accountId);
  if (scope === 'device') ofAccount = ofAccount.where('device.id', '=', target);
  if (scope === 'member') ofAccount = ofAccount.where('device_activity.registered_by', '=', target);
  const devices = (await ofAccount.orderBy('device.id').execute()).map(({ id }) => id);
  if (devices.length === 0) return { devices, sets: [] };
  const sets = await queries
    .selectFrom('backup_set')
    .select('number')
    .where('device_id', 'in', devices)
    .orderBy('number')
    .execute();
  return { devices, sets: sets.map(({ number }) => number) };
}

async function longestMinimum(queries: Kysely<Tables>, accountId: string): Promise<number> {
  const account = await queries
    .selectFrom('retention_account')
    .select('minimum_days')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const sets = await queries
    .selectFrom('retention_set')
    .innerJoin('backup_set', 'backup_set.number', 'retention_set.set_number')
    .select(({ fn }) => fn.max<number | null>('minimum_days').as('days'))
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return Math.max(account?.minimum_days ?? 0, sets?.days ?? 0);
}

async function deleteVersions({ queries, dialect }: SqlTransaction, setNumber: number): Promise<boolean> {
  const deleted =
    dialect === 'postgres'
      ? sql`DELETE FROM file_version WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM file_version WHERE set_number = ${setNumber} LIMIT ${STEP}))`
      : sql`DELETE FROM file_version WHERE set_number = ${setNumber} LIMIT ${STEP}`;
  const { numAffectedRows } = await deleted.execute(queries);
  return (numAffectedRows ?? 0n) > 0n;
}

async function deleteSet({ queries }: SqlTransaction, setNumber: number): Promise<void> {
  const set = await queries.selectFrom('backup_set').selectAll().where('number', '=', setNumber).executeTakeFirst();
  if (!set) return;
  const ofSet = queries.selectFrom('session').where('set_number', '=', setNumber);
  await queries.deleteFrom('session_end').where('session', 'in', ofSet.select('number')).execute();
  await queries.deleteFrom('pinned_point').where('session', 'in', ofSet.select('number')).execute();
  await queries.deleteFrom('run_changes').where('session_id', 'in', ofSet.select('id')).execute();
  await queries.deleteFrom('alarm').where('set_number', '=', setNumber).execute();
  await queries.deleteFrom('restore_session').where('set_number', '=', setNumber).execute();
  await queries.deleteFrom('retention_set').where('set_number', '=', setNumber).execute();
  await queries.deleteFrom('session').where('set_number', '=', setNumber).execute();
  await queries.deleteFrom('backup_set').where('number', '=', setNumber).execute();
  await redactNames(queries, set.device_id, set.name);
}

async function deleteDevice(queries: Kysely<Tables>, deviceId: string): Promise<void> {
  await redactNames(queries, deviceId);
  await redactAddresses(queries, 'device_id', deviceId);
  await queries.deleteFrom('spent').where('what', 'like', `signature:${deviceId}:%`).execute();
  await queries.deleteFrom('restore_session').where('device_id', '=', deviceId).execute();
  await queries.deleteFrom('device_activity').where('device_id', '=', deviceId).execute();
  await queries.deleteFrom('device').where('id', '=', deviceId).execute();
}

async function deleteMember(queries: Kysely<Tables>, accountId: string, userId: string): Promise<void> {
  const user = await queries
    .selectFrom('user')
    .select('email')
    .where('id', '=', userId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (user) {
    const email = user.email.toLowerCase();
    await deleteAttempts(queries, email);
    await queries
      .deleteFrom('invitation')
      .where('account_id', '=', accountId)
      .where(sql<string>`lower(email)`, '=', email)
      .execute();
    await removeUser(queries, userId);
  }
  await queries.deleteFrom('attempt').where('subject', '=', `code:${userId}`).execute();
  await queries
    .updateTable('device_activity')
    .set({ registered_by: null })
    .where('registered_by', '=', userId)
    .execute();
  await queries.deleteFrom('person_quota').where('user_id', '=', userId).where('account_id', '=', accountId).execute();
  await redactAddresses(queries, 'user_id', userId);
}

async function deleteAttempts(queries: Kysely<Tables>, email: string): Promise<void> {
  const subjects = ['password', 'recover'].map((what) => `${what}:${email.toLowerCase()}`);
  await queries.deleteFrom('attempt').where('subject', 'in', subjects).execute();
}

async function deleteAccount(queries: Kysely<Tables>, accountId: string, now: number): Promise<void> {
  const users = await queries.selectFrom('user').select('id').where('account_id', '=', accountId).execute();
  for (const { id } of users) await deleteMember(queries, accountId, id);
  const invited = await queries.selectFrom('invitation').select('email').where('account_id', '=', accountId).execute();
  for (const { email } of invited) await deleteAttempts(queries, email);
  const endpoints = queries.selectFrom('webhook_endpoint').select('id').where('account_id', '=', accountId);
  const deliveries = queries.selectFrom('webhook_delivery').select('id').where('endpoint_id', 'in', endpoints);
  await queries.deleteFrom('webhook_attempt').where('delivery_id', 'in', deliveries).execute();
  await queries.deleteFrom('webhook_delivery').where('endpoint_id', 'in', endpoints).execute();
  for (const table of [
    'webhook_endpoint',
    'invitation',
    'account_plan',
    'person_quota',
    'account_key',
    'alarm',
    'audit_entry',
  ] as const) {
    await queries.deleteFrom(table).where('account_id', '=', accountId).execute();
  }
  await queries.updateTable('account').set({ erased_at: now }).where('id', '=', accountId).execute();
}

function rowOf({ id, accountId, scope, target, requestedBy, requestedAt, dueAt, erasedAt }: Erasure): ErasureTable {
  const times = { requested_at: requestedAt, due_at: dueAt, erased_at: erasedAt ?? null };
  return { id, account_id: accountId, scope, target, requested_by: requestedBy ?? null, ...times };
}

function erasureOf(row: ErasureTable): Erasure {
  return {
    id: row.id,
    accountId: row.account_id,
    scope: row.scope as ErasureScope,
    target: row.target,
    requestedBy: row.requested_by ?? undefined,
    requestedAt: row.requested_at,
    dueAt: row.due_at,
    erasedAt: row.erased_at ?? undefined,
  };
}
