import type { SignInSession } from '../../../protocol/accounts.ts';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import type { ServiceContext } from '../../context.ts';
import type { Person } from '../../caller.ts';
import { currentRequest } from '../../request/request-scope.ts';
import { ServiceProblem } from '../../request/problem.ts';
import type { SignInClient } from './sign-in-store.ts';
import { auditEntry } from '../../audit/audit.ts';

const LONGEST_USER_AGENT = 200;

/** Address and client of the current request. */
export function clientNow(userAgent: string | undefined): SignInClient {
  return {
    userAgent: (userAgent ?? '').slice(0, LONGEST_USER_AGENT),
    address: currentRequest()?.address ?? '',
  };
}

/** Most recently used first. */
export async function listSessions({ metadata, clock }: ServiceContext, caller: Person): Promise<SignInSession[]> {
  const sessions = await metadata.signIns.list(caller.userId, clock.now());
  return sessions.map(({ id, createdAt, lastUsedAt, userAgent, address }) => ({
    id,
    created_at: formatTimestamp(createdAt),
    last_used_at: formatTimestamp(lastUsedAt),
    user_agent: userAgent,
    address,
    current: id === caller.familyId,
  }));
}

/** Ends one of the user's own sign-ins with all of its tokens. Throws `not_found`. */
export async function endSession(context: ServiceContext, caller: Person, id: string): Promise<void> {
  const { accountId, userId } = caller;
  const audit = auditEntry(context, { accountId, userId, kind: 'session.ended' });
  if (!(await context.metadata.signIns.end(userId, id, audit))) {
    throw new ServiceProblem('not_found', { detail: 'no such session' });
  }
  context.callers.forget(id);
}
