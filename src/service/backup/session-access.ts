import { requirePermission } from '../auth/permissions.ts';
import { requireOwnDevice } from '../devices/device-access.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { ServiceProblem } from '../request/problem.ts';
import { requireKept } from './backup-target.ts';
import { expired } from './session-end.ts';
import type { BackupSession, NewSession } from './store/session.ts';

/** Finds a backup session that the caller may write to. */
export async function findSession(context: ServiceContext, caller: Caller, id: string): Promise<BackupSession> {
  requirePermission(caller, 'backup');
  const session = await context.metadata.sessions.find(id);
  if (!session || session.accountId !== caller.accountId) throw new ServiceProblem('session_not_found');
  await requireOwnDevice(context, caller, session.deviceId);
  return expired(context, session);
}

/** Finds a session that accepts chunks, and records the request. */
export async function findAcceptingSession(
  context: ServiceContext,
  caller: Caller,
  id: string,
): Promise<BackupSession> {
  const session = await findSession(context, caller, id);
  return recordUse(context, session);
}

/** Records a request of a session, which must accept chunks. @throws ServiceProblem 403, 409 or 410 */
export async function recordUse(context: ServiceContext, session: BackupSession): Promise<BackupSession> {
  requireAccepting(session);
  await requireKept(context, session);
  await context.activity.record(session, context.clock.now());
  return session;
}

/** Sessions accept chunks while they wait for their manifest and once they have it. */
export function requireAccepting(session: BackupSession): BackupSession {
  if (session.state === 'waiting') return session;
  return requireOpen(session);
}

export function requireOpen(session: BackupSession): BackupSession {
  if (session.state === 'open') return session;
  if (session.state === 'waiting') throw new ServiceProblem('conflict', { detail: 'the session has no manifest yet' });
  throw new ServiceProblem('session_closed', { detail: `the session is ${session.state}` });
}

/** Finds the waiting session of a manifest. @throws ServiceProblem 422 if it belongs to another device or set, 409 if it does not wait */
export async function findWaitingSession(
  context: ServiceContext,
  caller: Caller,
  id: string,
  { deviceId, setName }: Pick<NewSession, 'deviceId' | 'setName'>,
): Promise<BackupSession> {
  const session = await findSession(context, caller, id);
  if (session.deviceId !== deviceId || session.setName !== setName) {
    throw new ServiceProblem('unprocessable', { detail: 'the session was opened for another device or set' });
  }
  if (session.state === 'waiting') return session;
  requireOpen(session);
  throw new ServiceProblem('conflict', { detail: 'the session has its manifest' });
}
