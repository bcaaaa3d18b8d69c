import type { BackupStats } from '../../protocol/backup.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { BackupCompletedData, EmittedEvent } from '../../protocol/webhooks.ts';
import type { BackupSession, CompletedRun, ManifestTotals } from './store/session.ts';

export function startedEvent(session: BackupSession): EmittedEvent {
  return { event: 'backup.started', data: startedData(session) };
}

export function failedEvent(session: BackupSession, reason: 'aborted' | 'expired', now: number): EmittedEvent {
  const data = { ...startedData(session), status: 'failed' } as const;
  return { event: 'backup.failed', data: { ...data, end_time: formatTimestamp(now), reason } };
}

/** A run with warnings has two events: one for its restore point, and one for its warnings. */
export function completedEvents(
  session: BackupSession,
  run: CompletedRun,
  stats: BackupStats,
  now: number,
): readonly EmittedEvent[] {
  const data: BackupCompletedData = {
    backup_id: run.backupId,
    ...sourceData(session),
    status: 'completed',
    start_time: formatTimestamp(session.createdAt),
    end_time: formatTimestamp(now),
    files_processed: stats.files_processed,
    bytes_uploaded: stats.bytes_uploaded,
    dedup_savings_percent: dedupSavings(session.totals),
  };
  const completed: EmittedEvent = { event: 'backup.completed', data };
  const warnings = stats.warnings ?? filesLeftOut(session, stats);
  if (warnings === 0) return [completed];
  return [completed, { event: 'backup.warning', data: { ...data, status: 'completed_with_warnings', warnings } }];
}

/**
 * Returns how many more files an agent processed than its manifest has: those that it skipped, if it does not report warnings.
 */
function filesLeftOut({ totals }: BackupSession, stats: BackupStats): number {
  return Math.max(0, stats.files_processed - totals.files);
}

/** Returns the percentage of the manifest's bytes that did not have to be uploaded, with one decimal; 0 for an empty manifest. */
export function dedupSavings({ bytes, bytesNeeded }: Pick<ManifestTotals, 'bytes' | 'bytesNeeded'>): number {
  return bytes === 0 ? 0 : Math.max(0, Math.round(1000 * (1 - bytesNeeded / bytes)) / 10);
}

function startedData(session: BackupSession) {
  return {
    session_id: session.id,
    ...sourceData(session),
    start_time: formatTimestamp(session.createdAt),
  };
}

function sourceData({ deviceId, deviceName, setName }: BackupSession) {
  return { device_id: deviceId, device_name: deviceName, backup_set: setName };
}
