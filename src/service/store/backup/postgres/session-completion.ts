import { sql } from 'kysely';
import { newIdentifier } from '../../../identifier.ts';
import type { CompletedRun, SessionStore } from '../../metadata-store.ts';
import type { PostgresDatabase } from '../../database/postgres-database.ts';
import type { SqlTransaction } from '../../database/sql-database.ts';
import { rebase } from './session-rebase.ts';

export function createCompletion(database: PostgresDatabase): Pick<SessionStore, 'missingChunks' | 'complete'> {
  return {
    missingChunks: async (number, limit) => {
      const { rows } = await sql<{ hash: string }>`
        SELECT 'sha256:' || coalesce(encode(c.digest, 'hex'), '') AS hash
        FROM session_chunk n LEFT JOIN chunk c ON c.id = n.chunk_id
        WHERE n.session = ${number} AND c.size IS DISTINCT FROM n.size ORDER BY n.ordinal LIMIT ${limit}`.execute(
        database.queries,
      );
      return rows.map(({ hash }) => hash);
    },
    complete: (number, completion) =>
      database.lockingTransaction((transaction) => complete(transaction, number, completion)),
  };
}

async function complete(
  transaction: SqlTransaction,
  number: number,
  { now, stats, events }: Parameters<SessionStore['complete']>[1],
): Promise<CompletedRun | undefined> {
  const { queries } = transaction;
  const session = await queries
    .selectFrom('session')
    .select(['account_id', 'device_id', 'set_number', 'base'])
    .where('number', '=', number)
    .where('state', '=', 'open')
    .forUpdate()
    .executeTakeFirst();
  if (!session) return undefined;
  const { set_number: setNumber } = session;
  // One run of a set after the other; who comes next sees what this one did.
  await queries.selectFrom('backup_set').select('number').where('number', '=', setNumber).forUpdate().execute();
  const head = await queries
    .selectFrom('session')
    .select(['sequence', 'restore_point'])
    .where('set_number', '=', setNumber)
    .where('sequence', 'is not', null)
    .orderBy('restore_point', 'desc')
    .limit(1)
    .$narrowType<{ sequence: number; restore_point: number }>()
    .executeTakeFirst();
  if (head && head.sequence !== session.base) {
    await rebase(queries, { number, setNumber, base: session.base, head: head.sequence });
  }
  await sql`
    UPDATE file_version v SET valid_to = ${number} FROM session_end e
    WHERE e.session = ${number} AND v.set_number = ${setNumber} AND v.valid_from = e.valid_from
      AND left(v.path_key, 600) = left(e.path_key, 600) AND v.path_key = e.path_key`.execute(queries);
  // Behind all others even where the count was left behind (a replica gets rows, and no counts): a run with the number of
  // an earlier time would change what restore points since then show.
  const { rows } = await sql<{ sequence: number; storage_used: number }>`
    SELECT greatest(nextval('run_sequence'), (SELECT coalesce(max(sequence), 0) + 1 FROM session)) AS sequence, storage_used
    FROM account WHERE id = ${session.account_id}`.execute(queries);
  const run: CompletedRun = {
    sequence: rows[0]!.sequence,
    backupId: newIdentifier('bkp'),
    // Restore points of a set never share a time, and never go back when the clock does.
    restorePoint: Math.max(now, head ? head.restore_point + 1 : 0),
    storageUsed: rows[0]!.storage_used,
  };
  await queries
    .updateTable('session')
    .set({
      state: 'completed',
      ended_at: now,
      sequence: run.sequence,
      backup_id: run.backupId,
      restore_point: run.restorePoint,
      storage_used: run.storageUsed,
      stats_json: JSON.stringify(stats),
    })
    .where('number', '=', number)
    .execute();
  await queries
    .updateTable('device')
    .set({ last_backup: run.restorePoint })
    .where('id', '=', session.device_id)
    .execute();
  for (const event of events(run)) {
    await transaction.emit({ accountId: session.account_id, occurredAt: now, event });
  }
  return run;
}
