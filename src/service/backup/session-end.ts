import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import { UNFINISHED, type BackupSession } from './store/session.ts';
import { recordArrivals } from './arrivals.ts';
import { failedEvent } from './backup-events.ts';
import { DAY } from '../../model/units.ts';

/** Milliseconds without a request after which a session expires. */
export const SESSION_LIFETIME = DAY;

const OVERDUE_AT_ONCE = 100;

/** Aborts a session, which may be repeated. @throws ServiceProblem 409 if it is completed */
export async function abortBackup(context: ServiceContext, session: BackupSession): Promise<void> {
  if (session.state === 'completed') {
    throw new ServiceProblem('session_closed', { detail: 'the session is completed' });
  }
  await endAsFailed(context, session, 'aborted');
}

/** Ends sessions that were not completed in time. */
export async function expireSessions(context: ServiceContext): Promise<void> {
  const { sessions } = context.metadata;
  const before = context.clock.now() - SESSION_LIFETIME;
  for (;;) {
    const overdue = await sessions.overdue(before, OVERDUE_AT_ONCE);
    for (const session of overdue) await endAsFailed(context, session, 'expired');
    if (overdue.length < OVERDUE_AT_ONCE) return;
  }
}

/**
 * Returns a session as it is, or ended if it was not used in time: housekeeping, which ends such sessions, may not have come to it.
 */
export async function expired(context: ServiceContext, session: BackupSession): Promise<BackupSession> {
  const isOverdue = session.activeAt < context.clock.now() - SESSION_LIFETIME;
  if (!isOverdue || !UNFINISHED.includes(session.state)) return session;
  await endAsFailed(context, session, 'expired');
  return (await context.metadata.sessions.find(session.id)) ?? session;
}

/** Emits no event for a session whose manifest never arrived completely, since none was emitted when it began. */
async function endAsFailed(
  context: ServiceContext,
  session: BackupSession,
  reason: 'aborted' | 'expired',
): Promise<void> {
  const now = context.clock.now();
  await recordArrivals(context, session);
  const event = session.state === 'receiving' ? undefined : failedEvent(session, reason, now);
  await context.metadata.sessions.fail(session.number, now, event);
}

/**
 * Deletes the rows and blobs that ended sessions leave behind, in small steps with a turn of the event loop in between.
 *
 * @param signal ends it early; the next call continues
 */
export async function sweepSessions(context: ServiceContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const abandoned = await context.metadata.sessions.sweep();
    if (!abandoned) return;
    await context.objects.delete(
      abandoned.map(({ accountId, id, digest }) => ({ accountId, chunkId: id, digest, size: 0 })),
    );
    await new Promise(setImmediate);
  }
}
