import { sql, type Kysely } from 'kysely';
import type { EmittedEvent } from '../../../protocol/webhooks.ts';
import { newIdentifier } from '../../identifier.ts';
import type { SqlDatabase, SqlTransaction } from '../../database/sql-database.ts';
import type { Tables } from '../../database/tables.ts';
import { withinQuota } from './quota-store.ts';
import { completeSession } from './completion.ts';
import { createRestorePoints } from './restore-points.ts';
import {
  UNFINISHED,
  type AbandonedChunk,
  type BackupProgress,
  type BackupSession,
  type CompletedRun,
  type ManifestTotals,
  type NewSession,
  type ReceivedManifest,
  type SessionCompletion,
  type SessionState,
} from './session.ts';
import type { SessionTrees } from './session-trees.ts';

export type SessionStore = ReturnType<typeof createSessionStore>;

/**
 * Backup sessions, and the restore points that they become. Times are milliseconds since the epoch.
 *
 * @param trees the queries that each database has of its own
 */
export function createSessionStore(database: SqlDatabase, trees: SessionTrees) {
  const { queries, lockingTransaction } = database;
  return {
    /** Starts receiving a manifest relative to the newest tree of the set. Creates the set if it is new. */
    begin: (session: NewSession): Promise<BackupSession> =>
      lockingTransaction((inside) => insertSession(inside, session, 'receiving')),
    /** Starts a session that waits for its manifest. */
    wait: (session: NewSession, event: (session: BackupSession) => EmittedEvent): Promise<BackupSession> =>
      lockingTransaction(async (inside) => {
        const waiting = await insertSession(inside, session, 'waiting');
        await inside.emit({ accountId: session.accountId, occurredAt: session.now, event: event(waiting) });
        return waiting;
      }),
    /** Records that the manifest has arrived completely. @throws PersonQuotaError */
    open: (number: number, totals: ManifestTotals, event: EmittedEvent, now: number): Promise<void> =>
      lockingTransaction(async (inside) => {
        await withinQuota(inside, number, () => openSession(inside, number, totals));
        const { account_id: accountId } = await inside.queries
          .selectFrom('session')
          .select('account_id')
          .where('number', '=', number)
          .executeTakeFirstOrThrow();
        await inside.emit({ accountId, occurredAt: now, event });
      }),
    /**
     * Records that the manifest of a waiting session has arrived completely: the session that received it takes over the waiting
     * session's id and start. Returns `undefined` if either has ended, or another manifest came first.
     *
     * @throws PersonQuotaError
     */
    continueWith: (waiting: number, manifest: ReceivedManifest): Promise<BackupSession | undefined> =>
      lockingTransaction((inside) =>
        withinQuota(inside, manifest.number, () => continueSession(inside, waiting, manifest)),
      ),
    /** Records a request of the client. */
    touch: async (number: number, now: number): Promise<void> => {
      await queries
        .updateTable('session')
        .set({ active_at: now })
        .where('number', '=', number)
        .where('active_at', '<', now)
        .execute();
    },
    find: (id: string): Promise<BackupSession | undefined> => findSession(queries, id),
    progress: async (number: number, reported: BackupProgress): Promise<void> => {
      await queries
        .updateTable('session')
        .set({ progress_json: JSON.stringify(reported) })
        .where('number', '=', number)
        .execute();
    },
    /** Returns the bytes of all versions of the account's files, by `treeBytesOf`. */
    treeBytes: async (accountId: string): Promise<number> => {
      const { bytes } = await queries
        .selectFrom('session')
        .select(sql<number | null>`cast(sum(tree_bytes) as bigint)`.as('bytes'))
        .where('account_id', '=', accountId)
        // A literal, so that SQLite uses the index of these sessions.
        .where('tree_bytes', '>', sql.lit(0))
        .where((where) => where.or([where('state', '!=', 'failed'), where('swept', '=', 0)]))
        .executeTakeFirstOrThrow();
      return bytes ?? 0;
    },
    /** As `SessionTrees` describes. */
    missingChunks: (number: number, limit: number): Promise<readonly string[]> => trees.missingChunks(number, limit),
    /**
     * Makes the session's tree the newest of its set. It is durable, with everything that it refers to, when this resolves. If
     * its base is no longer the newest tree, the result still equals its manifest. Returns `undefined` if the session is not
     * open.
     */
    complete: (number: number, completion: SessionCompletion): Promise<CompletedRun | undefined> =>
      lockingTransaction((inside) => completeSession(inside, trees, number, completion)),
    /** Ends a session that is not completed; returns false if it had ended before. */
    fail: (number: number, now: number, event: EmittedEvent | undefined): Promise<boolean> =>
      lockingTransaction(async (inside) => {
        const failed = await inside.queries
          .updateTable('session')
          .set({ state: 'failed', ended_at: now, failure: event?.event === 'backup.failed' ? event.data.reason : null })
          .where('number', '=', number)
          .where('state', 'in', UNFINISHED)
          .returning('account_id')
          .executeTakeFirst();
        if (!failed) return false;
        if (event) await inside.emit({ accountId: failed.account_id, occurredAt: now, event });
        return true;
      }),
    /** Returns unfinished sessions whose client made its last request before `before`. */
    overdue: async (before: number, limit: number): Promise<readonly BackupSession[]> => {
      const rows = await selectSessions(queries)
        // A literal, so that SQLite uses the index of unswept sessions.
        .where('s.swept', '=', sql.lit(0))
        .where('s.state', 'in', UNFINISHED)
        .where('s.active_at', '<', before)
        .orderBy('s.number')
        .limit(limit)
        .execute();
      return rows.map(sessionOf);
    },
    unfinishedOfSet: async (setNumber: number): Promise<readonly BackupSession[]> => {
      const unfinished = selectSessions(queries).where('s.set_number', '=', setNumber);
      const rows = await unfinished.where('s.swept', '=', sql.lit(0)).where('s.state', 'in', UNFINISHED).execute();
      return rows.map(sessionOf);
    },
    /** As `SessionTrees` describes. */
    sweep: (): Promise<readonly AbandonedChunk[] | undefined> => trees.sweep(),
    /** Deletes failed sessions that ended before `before`, and those that others continued, once nothing of them is left to sweep. */
    prune: (before: number): Promise<void> => lockingTransaction((inside) => pruneSessions(inside, before)),
    ...createRestorePoints(database),
  };
}

async function pruneSessions({ queries }: SqlTransaction, before: number): Promise<void> {
  await queries
    .deleteFrom('session')
    .where('state', '=', 'continued')
    .where('swept', '=', 1)
    .where('created_at', '<', before)
    .execute();
  await queries
    .deleteFrom('session')
    // A literal, so that SQLite uses the index of failed sessions.
    .where('state', '=', sql.lit('failed'))
    .where('swept', '=', 1)
    .where('ended_at', '<', before)
    .where((check) =>
      check.not(
        check.exists(
          check
            .selectFrom('session as earlier')
            .select('earlier.id')
            .whereRef('earlier.continued_by', '=', 'session.number'),
        ),
      ),
    )
    .execute();
}

async function insertSession(
  { queries, dialect }: SqlTransaction,
  session: NewSession,
  state: SessionState,
): Promise<BackupSession> {
  const { accountId, deviceId, now } = session;
  const setNumber = await findOrAddSet(queries, session);
  if (dialect === 'postgres') {
    // The removal of restore points waits for this lock, and then sees the base chosen here (`RetentionStore.settle`).
    await queries.selectFrom('backup_set').select('number').where('number', '=', setNumber).forKeyShare().execute();
  }
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
  return (await findSession(queries, id))!;
}

async function findOrAddSet(queries: Kysely<Tables>, { accountId, deviceId, setName }: NewSession): Promise<number> {
  const findSet = () =>
    queries
      .selectFrom('backup_set')
      .select('number')
      .where('device_id', '=', deviceId)
      .where('name', '=', setName)
      .executeTakeFirst();
  const known = await findSet();
  if (known) return known.number;
  await queries
    .insertInto('backup_set')
    .values({ account_id: accountId, device_id: deviceId, name: setName })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findSet())!.number;
}

async function openSession({ queries }: SqlTransaction, number: number, totals: ManifestTotals): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('session')
    .set({
      state: 'open',
      files: totals.files,
      bytes: totals.bytes,
      bytes_needed: totals.bytesNeeded,
      chunks_needed: totals.chunksNeeded,
      chunks_deduped: totals.chunksDeduped,
      tree_bytes: totals.treeBytes,
    })
    .where('number', '=', number)
    .where('state', '=', 'receiving')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * The manifest went into a row of its own, so that a refused one leaves the waiting session unchanged. Now that row takes over
 * the name; the waiting row keeps the chunks that were announced early until the session has ended.
 */
async function continueSession(
  transaction: SqlTransaction,
  waiting: number,
  { number: receiving, totals, bytesAnnounced }: ReceivedManifest,
): Promise<BackupSession | undefined> {
  const { queries, dialect } = transaction;
  const session = await queries
    .selectFrom('session')
    .select(['id', 'created_at', 'bytes_needed'])
    .where('number', '=', waiting)
    .where('state', '=', 'waiting')
    .$if(dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  if (!session || !(await openSession(transaction, receiving, totals))) return undefined;
  await queries
    .updateTable('session')
    .set({ id: newIdentifier('ses'), state: 'continued', continued_by: receiving, bytes_needed: 0 })
    .where('number', '=', waiting)
    .execute();
  await queries
    .updateTable('session')
    .set({
      id: session.id,
      created_at: session.created_at,
      // What was announced and is not in the manifest may have been uploaded all the same.
      bytes_needed: totals.bytesNeeded + Math.max(0, session.bytes_needed - bytesAnnounced),
    })
    .where('number', '=', receiving)
    .execute();
  return findSession(queries, session.id);
}

async function findSession(queries: Kysely<Tables>, id: string): Promise<BackupSession | undefined> {
  const row = await selectSessions(queries).where('s.id', '=', id).executeTakeFirst();
  return row && sessionOf(row);
}

function selectSessions(queries: Kysely<Tables>) {
  return queries
    .selectFrom('session as s')
    .innerJoin('device as d', 'd.id', 's.device_id')
    .innerJoin('backup_set as b', 'b.number', 's.set_number')
    .selectAll('s')
    .select(['d.name as device_name', 'b.name as set_name']);
}

type SessionRow = Awaited<ReturnType<ReturnType<typeof selectSessions>['execute']>>[number];

function sessionOf(row: SessionRow): BackupSession {
  const { sequence } = row;
  return {
    id: row.id,
    number: row.number,
    accountId: row.account_id,
    deviceId: row.device_id,
    deviceName: row.device_name,
    setNumber: row.set_number,
    setName: row.set_name,
    state: row.state as SessionState,
    createdAt: row.created_at,
    activeAt: row.active_at,
    base: row.base,
    totals: {
      files: row.files,
      bytes: row.bytes,
      bytesNeeded: row.bytes_needed,
      chunksNeeded: row.chunks_needed,
      chunksDeduped: row.chunks_deduped,
      treeBytes: row.tree_bytes,
    },
    run:
      sequence === null
        ? undefined
        : {
            sequence,
            backupId: row.backup_id!,
            restorePoint: row.restore_point!,
            completedAt: row.ended_at!,
            storageUsed: row.storage_used!,
          },
  };
}
