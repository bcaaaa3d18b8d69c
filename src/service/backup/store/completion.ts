import { sql } from 'kysely';
import type { BackupStats } from '../../../protocol/backup.ts';
import { newIdentifier } from '../../identifier.ts';
import { takeOverFailed } from './quota-store.ts';
import type { SqlTransaction } from '../../database/sql-database.ts';
import { rebase } from './rebase.ts';
import type { CompletedRun, SessionCompletion } from './session.ts';
import type { SessionTrees } from './session-trees.ts';

/** Completes a session in one transaction, as `SessionStore.complete` describes. */
export async function completeSession(
  transaction: SqlTransaction,
  trees: SessionTrees,
  number: number,
  { now, stats, events }: SessionCompletion,
): Promise<CompletedRun | undefined> {
  const { queries, dialect } = transaction;
  const session = await queries
    .selectFrom('session')
    .select(['account_id', 'device_id', 'set_number', 'base'])
    .where('number', '=', number)
    .where('state', '=', 'open')
    .$if(dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  if (!session) return undefined;
  const { account_id: accountId, set_number: setNumber, base } = session;
  // Runs of a set are completed one after the other; the next one sees what this one did.
  if (dialect === 'postgres') {
    await queries.selectFrom('backup_set').select('number').where('number', '=', setNumber).forUpdate().execute();
  }
  const head = await queries
    .selectFrom('session')
    .select(['sequence', 'restore_point'])
    .where('set_number', '=', setNumber)
    .where('sequence', 'is not', null)
    .orderBy('restore_point', 'desc')
    .limit(1)
    .$narrowType<{ sequence: number; restore_point: number }>()
    .executeTakeFirst();
  if (head && head.sequence !== base) {
    await rebase(trees, transaction, { number, setNumber, base, head: head.sequence });
  }
  await trees.endVersions(transaction, { number, setNumber });
  const { storage_used: storageUsed } = await queries
    .selectFrom('account')
    .select('storage_used')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const run: CompletedRun = {
    sequence: await nextSequence(transaction),
    backupId: newIdentifier('bkp'),
    // Restore points of a set never share a time, and never go back when the clock does.
    restorePoint: Math.max(madeAt(stats, now), head ? head.restore_point + 1 : 0),
    completedAt: now,
    storageUsed,
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
  await takeOverFailed(transaction, number);
  await queries
    .updateTable('device')
    .set({ last_backup: run.restorePoint })
    .where('id', '=', session.device_id)
    .execute();
  for (const event of events(run)) await transaction.emit({ accountId, occurredAt: now, event });
  return run;
}

/** A copy keeps its time. Everything else happens now. */
function madeAt({ restore_point: made }: BackupStats, now: number): number {
  return made === undefined ? now : Math.min(now, Date.parse(made));
}

/**
 * Returns a number greater than all others. PostgreSQL's sequence lets completions run in parallel; the greatest number in the
 * table counts as well, since a logical replica receives rows but no sequences, and a run with an earlier number would change
 * the restore points after it.
 */
async function nextSequence({ queries, dialect }: SqlTransaction): Promise<number> {
  const next = sql<number>`(SELECT coalesce(max(sequence), 0) + 1 FROM session)`;
  const { rows } = await (
    dialect === 'postgres'
      ? sql<{ sequence: number }>`SELECT greatest(nextval('run_sequence'), ${next}) AS sequence`
      : sql<{ sequence: number }>`SELECT ${next} AS sequence`
  ).execute(queries);
  return rows[0]!.sequence;
}
