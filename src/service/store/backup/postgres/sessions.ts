import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { newIdentifier } from '../../../identifier.ts';
import type { BackupSession, ManifestTotals, NewSession, SessionState, SessionStore } from '../../metadata-store.ts';
import { sessionOf } from '../session-row.ts';
import type { SessionRow } from '../session-row.ts';
import { createRestorePoints } from '../restore-points.ts';
import type { PostgresDatabase } from '../../database/postgres-database.ts';
import type { Tables } from '../../database/tables.ts';
import { createCompletion } from './session-completion.ts';
import { createSweep } from './session-sweep.ts';

const SESSION = sql`SELECT s.*, d.name AS device_name, b.name AS set_name FROM session s
  JOIN device d ON d.id = s.device_id JOIN backup_set b ON b.number = s.set_number`;

/** States of a session that nobody has ended. */
const GOING: readonly SessionState[] = ['waiting', 'receiving', 'open'];

export function createSessionStore(database: PostgresDatabase): SessionStore {
  const { queries, lockingTransaction } = database;
  return {
    begin: (session) => lockingTransaction((transaction) => begin(transaction.queries, session, 'receiving')),
    wait: (session, event) =>
      lockingTransaction(async (transaction) => {
        const waiting = await begin(transaction.queries, session, 'waiting');
        await transaction.emit({ accountId: session.accountId, occurredAt: session.now, event: event(waiting) });
        return waiting;
      }),
    open: (number, totals, event, now) =>
      lockingTransaction(async (transaction) => {
        await open(transaction.queries, number, totals);
        const accountId = await accountOf(transaction.queries, number);
        await transaction.emit({ accountId, occurredAt: now, event });
      }),
    continueWith: (waiting, receiving, totals) =>
      lockingTransaction((transaction) => continueWith(transaction.queries, waiting, receiving, totals)),
    touch: async (number, now) => {
      await sql`UPDATE session SET active_at = greatest(active_at, ${now}) WHERE number = ${number}`.execute(queries);
    },
    find: (id) => find(queries, id),
    progress: async (number, reported) => {
      await queries
        .updateTable('session')
        .set({ progress_json: JSON.stringify(reported) })
        .where('number', '=', number)
        .execute();
    },
    fail: (number, now, event) =>
      lockingTransaction(async (transaction) => {
        const failed = await transaction.queries
          .updateTable('session')
          .set({ state: 'failed', ended_at: now })
          .where('number', '=', number)
          .where('state', 'in', GOING)
          .returning('account_id')
          .executeTakeFirst();
        if (!failed) return false;
        if (event) await transaction.emit({ accountId: failed.account_id, occurredAt: now, event });
        return true;
      }),
    overdue: async (before, limit) => {
      const { rows } = await sql<SessionRow>`
        ${SESSION} WHERE s.swept = 0 AND s.state = ANY (${GOING}::text[]) AND s.active_at < ${before}
        ORDER BY s.number LIMIT ${limit}`.execute(queries);
      return rows.map(sessionOf);
    },
    sweep: createSweep(database),
    ...createCompletion(database),
    ...createRestorePoints(database),
  };
}

async function find(queries: Kysely<Tables>, id: string): Promise<BackupSession | undefined> {
  const { rows } = await sql<SessionRow>`${SESSION} WHERE s.id = ${id}`.execute(queries);
  return rows[0] && sessionOf(rows[0]);
}

async function accountOf(queries: Kysely<Tables>, number: number): Promise<string> {
  const row = await queries.selectFrom('session').select('account_id').where('number', '=', number).executeTakeFirst();
  return row!.account_id;
}

async function begin(queries: Kysely<Tables>, session: NewSession, state: SessionState): Promise<BackupSession> {
  const { accountId, deviceId, now } = session;
  const setNumber = await findOrAddSet(queries, session);
  // Whoever removes restore points waits for it, and sees the base that is chosen here (`RetentionStore.settle`).
  await queries.selectFrom('backup_set').select('number').where('number', '=', setNumber).forKeyShare().execute();
  const newest = await queries
    .selectFrom('session')
    .select('sequence')
    .where('set_number', '=', setNumber)
    .where('sequence', 'is not', null)
    .orderBy('restore_point', 'desc')
    .limit(1)
    .executeTakeFirst();
  const id = newIdentifier('ses');
  await queries
    .insertInto('session')
    .values({
      id,
      account_id: accountId,
      device_id: deviceId,
      set_number: setNumber,
      state,
      created_at: now,
      active_at: now,
      base: newest?.sequence ?? 0,
    })
    .execute();
  return (await find(queries, id))!;
}

async function findOrAddSet(queries: Kysely<Tables>, { accountId, deviceId, setName }: NewSession): Promise<number> {
  const known = await findSet(queries, deviceId, setName);
  if (known !== undefined) return known;
  await queries
    .insertInto('backup_set')
    .values({ account_id: accountId, device_id: deviceId, name: setName })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findSet(queries, deviceId, setName))!;
}

async function findSet(queries: Kysely<Tables>, deviceId: string, name: string): Promise<number | undefined> {
  const row = await queries
    .selectFrom('backup_set')
    .select('number')
    .where('device_id', '=', deviceId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.number;
}

async function open(queries: Kysely<Tables>, number: number, totals: ManifestTotals): Promise<boolean> {
  const { files, bytes, bytesNeeded, chunksNeeded, chunksDeduped } = totals;
  const { numUpdatedRows } = await queries
    .updateTable('session')
    .set({
      state: 'open',
      files,
      bytes,
      bytes_needed: bytesNeeded,
      chunks_needed: chunksNeeded,
      chunks_deduped: chunksDeduped,
    })
    .where('number', '=', number)
    .where('state', '=', 'receiving')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * The manifest went into a row of its own, so that one that is refused leaves the waiting session as it was. That row takes
 * the name now; the other one keeps what was announced early, until the session has ended.
 */
async function continueWith(
  queries: Kysely<Tables>,
  waiting: number,
  receiving: number,
  totals: ManifestTotals,
): Promise<BackupSession | undefined> {
  const session = await queries
    .selectFrom('session')
    .select(['id', 'created_at'])
    .where('number', '=', waiting)
    .where('state', '=', 'waiting')
    .forUpdate()
    .executeTakeFirst();
  if (!session || !(await open(queries, receiving, totals))) return undefined;
  await queries
    .updateTable('session')
    .set({ id: newIdentifier('ses'), state: 'continued', continued_by: receiving })
    .where('number', '=', waiting)
    .execute();
  await queries
    .updateTable('session')
    .set({ id: session.id, created_at: session.created_at })
    .where('number', '=', receiving)
    .execute();
  return find(queries, session.id);
}
