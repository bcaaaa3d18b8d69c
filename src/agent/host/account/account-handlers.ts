import { z } from 'zod';
import { ACCOUNT_ENDPOINTS, signInSession } from '../../../protocol/accounts.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import { discardResponse, jsonResponse } from '../../../remote/client/responses.ts';
import type { AccountSession, accountMethods } from '../../../ipc/contract/account/account.ts';
import type { Handlers } from '../../../base/calls/contract.ts';
import { withConnection } from '../../destination/service-connection.ts';
import type { AccountCaller, AccountPerson } from './account-person.ts';
import type { HandlerContext } from '../handler-context.ts';
import { identityProviders } from '../setup/destination-trial.ts';
import { signInAgain } from './sign-in-again.ts';

/** Statuses of a service that does not have an endpoint. */
const NOT_SUPPORTED: ReadonlySet<number> = new Set([404, 405, 501]);

const sessionList = z.object({ sessions: z.array(signInSession) });

/** Handles calls about the account at a service and the sessions of its person. */
export function accountHandlers(host: HandlerContext, person: AccountPerson): Handlers<typeof accountMethods> {
  const { agent, scheduler, changed } = host;
  return {
    'account.show': ({ destination }) => {
      const { signIn } = person.service(destination).destination;
      const { email } = signIn;
      return { ...(email === undefined ? {} : { email }), signsInBy: signIn.kind === 'device' ? 'key' : 'person' };
    },
    'account.ways': ({ destination }) =>
      withConnection(person.service(destination).destination.url, agent.parts, async ({ calls }) => {
        const providers = await identityProviders(calls);
        return { password: true, provider: (providers ?? []).length > 0, hasSessions: providers !== undefined };
      }),
    'account.sign-in': ({ email, password, destination }) => person.signIn(email, password, destination),
    'account.verify-factor': ({ factor, code }) => person.verify(factor, code),
    'account.sign-in-with-provider': ({ destination }) => person.signInWithProvider(destination),
    'account.leave': () => {
      person.leave();
      return {};
    },
    'account.sign-in-again': async ({ destination }) => {
      await signInAgain(host, person, destination);
      scheduler.setsChanged();
      changed();
      return {};
    },
    'account.sessions': ({ destination }) =>
      person.ask(async (caller) => ({ email: caller.email, sessions: await sessionsOf(caller) }), destination),
    'account.end-session': async ({ id, destination }) => {
      await person.ask((caller) => endSession(caller, id), destination);
      return {};
    },
    'account.end-other-sessions': async ({ destination }) => {
      const path = `${ACCOUNT_ENDPOINTS.logout}?scope=others`;
      await person.ask(({ calls }) => calls.call({ method: 'POST', path, read: discardResponse }), destination);
      return {};
    },
  };
}

async function sessionsOf({ calls }: AccountCaller): Promise<AccountSession[]> {
  const { sessions } = await calls.call({
    method: 'GET',
    path: ACCOUNT_ENDPOINTS.sessions,
    read: jsonResponse(sessionList),
    errorFor: ({ status }) =>
      NOT_SUPPORTED.has(status) ? new HoldfastError('refused', { problem: 'no-sessions' }) : undefined,
  });
  return sessions.map((session) => ({
    id: session.id,
    userAgent: session.user_agent,
    address: session.address,
    createdAt: session.created_at,
    lastUsedAt: session.last_used_at,
    isThisOne: session.current,
  }));
}

async function endSession({ calls }: AccountCaller, id: string): Promise<void> {
  const path = ACCOUNT_ENDPOINTS.session.replace(':session_id', encodeURIComponent(id));
  try {
    await calls.call({ method: 'DELETE', path, read: discardResponse });
  } catch (error) {
    if (!hasEnded(error)) throw error;
  }
}

function hasEnded(error: unknown): boolean {
  return isHoldfastError(error) && 'status' in error.details && error.details.status === 404;
}
