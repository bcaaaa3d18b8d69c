import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import { noteArrivals } from './arrivals.ts';
import type { BackupSession } from '../store/backup/session-store.ts';

/** How long a session may go on without being heard of, in milliseconds. */
export const SESSION_LIFETIME = 24 * 3_600_000;

const OVERDUE_AT_ONCE = 100;

/** Gives a session up. Aborting an aborted one again is fine; a completed one has ended otherwise (409). */
export async function abortBackup(context: ServiceContext, session: BackupSession): Promise<void> {
  if (session.state === 'completed') {
    throw new ServiceProblem('session_closed', { detail: 'the session is completed' });
  }
  await endAsFailed(context, session, 'aborted');
}

/** Ends what nobody has completed in time. */
export async function expireSessions(context: ServiceContext): Promise<void> {
  const { sessions } = context.metadata;
  const before = context.clock.now() - SESSION_LIFETIME;
  for (;;) {
    const overdue = await sessions.overdue(before, OVERDUE_AT_ONCE);
    for (const session of overdue) await endAsFailed(context, session, 'expired');
    if (overdue.length < OVERDUE_AT_ONCE) return;
  }
}

/** A session whose manifest never arrived whole was not told as started, and is not told as failed. */
async function endAsFailed(
  context: ServiceContext,
  session: BackupSession,
  reason: 'aborted' | 'expired',
): Promise<void> {
  const now = context.clock.now();
  await noteArrivals(context, session);
  const event = {
    event: 'backup.failed',
    data: {
      session_id: session.id,
      device_id: session.deviceId,
      device_name: session.deviceName,
      backup_set: session.setName,
      start_time: formatTimestamp(session.createdAt),
      status: 'failed',
      end_time: formatTimestamp(now),
      reason,
    },
  } as const;
  await context.metadata.sessions.fail(session.number, now, session.state === 'receiving' ? undefined : event);
}
