import { requirePermission } from '../auth/permissions.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { ServiceProblem } from '../problem.ts';
import type { BackupSession } from '../store/metadata-store.ts';

/** A backup session that the caller may see: a device its own, a user any of the account. */
export async function findSession(context: ServiceContext, caller: Caller, id: string): Promise<BackupSession> {
  requirePermission(caller, 'backup');
  const session = await context.metadata.sessions.find(id);
  if (!session || session.accountId !== caller.accountId) throw new ServiceProblem('session_not_found');
  if (caller.kind === 'device' && caller.deviceId !== session.deviceId) {
    throw new ServiceProblem('permission_denied', { detail: 'the session is another device’s' });
  }
  return session;
}

/** As `findSession`, for what needs a session that still goes on. */
export async function findOpenSession(context: ServiceContext, caller: Caller, id: string): Promise<BackupSession> {
  const session = await findSession(context, caller, id);
  return requireOpen(session);
}

export function requireOpen(session: BackupSession): BackupSession {
  if (session.state === 'open') return session;
  throw new ServiceProblem('session_closed', { detail: `the session is ${session.state}` });
}
