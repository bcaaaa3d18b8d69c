import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { EmittedEvent } from '../../protocol/webhooks.ts';
import type { RestoreSession } from './restore-store.ts';

type Totals = NonNullable<RestoreSession['totals']>;

export function startedEvent(session: RestoreSession, totals: Totals): EmittedEvent {
  return { event: 'restore.started', data: startedData(session, totals) };
}

export function completedEvent(session: RestoreSession, totals: Totals, now: number): EmittedEvent {
  const data = { ...startedData(session, totals), status: 'completed', end_time: formatTimestamp(now) } as const;
  return { event: 'restore.completed', data };
}

function startedData(session: RestoreSession, totals: Totals) {
  return {
    restore_session_id: session.id,
    device_id: session.deviceId,
    device_name: session.deviceName,
    backup_set: session.setName,
    restore_point: formatTimestamp(session.restorePoint),
    start_time: formatTimestamp(session.createdAt),
    total_files: totals.files,
    total_bytes: totals.bytes,
  };
}
