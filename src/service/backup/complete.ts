import type { BackupRun, BackupStats } from '../../protocol/backup.ts';
import { completionOf } from '../../base/point-time.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import { raiseAlarm } from '../alarms/raise-alarm.ts';
import type { BackupSession, CompletedRun } from './store/session.ts';
import { recordArrivals } from './arrivals.ts';
import { requireKept } from './backup-target.ts';
import { completedEvents, dedupSavings } from './backup-events.ts';
import { needLostChunks } from './lost-chunks.ts';
import { requireOpen } from './session-access.ts';

/** The most hashes in a response about missing chunks; a client that uploads them and completes again gets the next ones. */
const MISSING_LISTED = 10_000;

/**
 * Completes a session. The tree and all of its blobs are durable when this resolves. Repeated for a completed session, it returns the
 * same run.
 */
export async function completeBackup(
  context: ServiceContext,
  session: BackupSession,
  stats: BackupStats,
): Promise<BackupRun> {
  if (session.run) return runOf(session, session.run);
  requireOpen(session);
  await requireKept(context, session);
  await context.intake.settle();
  await recordArrivals(context, session);
  await needLostChunks(context, session);
  const { sessions } = context.metadata;
  const missingChunks = await sessions.missingChunks(session.number, MISSING_LISTED);
  if (missingChunks.length > 0) throw new ServiceProblem('chunks_missing', { missingChunks });
  const now = context.clock.now();
  await raiseAlarm(context, session, stats, now);
  const run = await sessions.complete(session.number, {
    now,
    stats,
    events: (completed) => completedEvents(session, completed, stats, now),
  });
  if (run) {
    await context.metadata.plans.checkUse(session.accountId, now);
    return runOf(session, run);
  }
  // Another request ended it meanwhile; if it was completed, the result is the same.
  const ended = await sessions.find(session.id);
  if (ended?.run) return runOf(ended, ended.run);
  throw new ServiceProblem('session_closed');
}

function runOf(session: BackupSession, run: CompletedRun): BackupRun {
  return {
    backup_id: run.backupId,
    status: 'completed',
    restore_point: formatTimestamp(run.restorePoint),
    ...completionOf(run.restorePoint, run.completedAt),
    storage_used_bytes: run.storageUsed,
    dedup_savings_percent: dedupSavings(session.totals),
  };
}
