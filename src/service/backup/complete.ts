import type { BackupRun, BackupStats } from '../../protocol/backup.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { BackupCompletedData, EmittedEvent } from '../../protocol/webhooks.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import { raiseAlarm } from '../security/raise-alarm.ts';
import type { BackupSession, CompletedRun, ManifestTotals } from '../store/backup/session-store.ts';
import { recordArrivals } from './arrivals.ts';
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
  await context.intake.settle();
  await recordArrivals(context, session);
  await needLostChunks(context, session);
  const { sessions } = context.metadata;
  const missingChunks = await sessions.missingChunks(session.number, MISSING_LISTED);
  if (missingChunks.length > 0) throw new ServiceProblem('chunks_missing', { missingChunks });
  const now = context.clock.now();
  await raiseAlarm(context, session, stats, now);
  const events = (run: CompletedRun): readonly EmittedEvent[] => completedEvents(session, run, stats, now);
  const run = await sessions.complete(session.number, { now, stats, events });
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
    storage_used_bytes: run.storageUsed,
    dedup_savings_percent: dedupSavings(session.totals),
  };
}

/** Returns the percentage of the manifest's bytes that did not have to be uploaded, with one decimal; 0 for an empty manifest. */
export function dedupSavings({ bytes, bytesNeeded }: Pick<ManifestTotals, 'bytes' | 'bytesNeeded'>): number {
  return bytes === 0 ? 0 : Math.round(1000 * (1 - bytesNeeded / bytes)) / 10;
}

/** A run with warnings has two events: one for its restore point, and one for its warnings. */
function completedEvents(
  session: BackupSession,
  run: CompletedRun,
  stats: BackupStats,
  now: number,
): readonly EmittedEvent[] {
  const data: BackupCompletedData = {
    backup_id: run.backupId,
    device_id: session.deviceId,
    device_name: session.deviceName,
    backup_set: session.setName,
    status: 'completed',
    start_time: formatTimestamp(session.createdAt),
    end_time: formatTimestamp(now),
    files_processed: stats.files_processed,
    bytes_uploaded: stats.bytes_uploaded,
    dedup_savings_percent: dedupSavings(session.totals),
  };
  const completed: EmittedEvent = { event: 'backup.completed', data };
  const { warnings = 0 } = stats;
  if (warnings === 0) return [completed];
  return [completed, { event: 'backup.warning', data: { ...data, status: 'completed_with_warnings', warnings } }];
}
