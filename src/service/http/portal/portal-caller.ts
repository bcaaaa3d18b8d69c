import { currentRequest } from '../../request/request-scope.ts';
import type { PortalCookie, PortalSession } from '../../portal-api/portal-cookie.ts';
import { requireSameOrigin } from '../../portal-api/same-origin.ts';
import { ServiceProblem } from '../../request/problem.ts';
import type { User } from '../../auth/account-store.ts';
import { receiveBody } from '../body.ts';
import type { Exchange, Handler, RouteContext } from '../routes.ts';

/** The caller of the portal. */
export interface PortalCaller {
  readonly session: PortalSession;
  readonly user: User;
}

export type PortalHandler = (exchange: Exchange, caller: PortalCaller) => Promise<Response>;

/** Returns the cookie's user if the sign-in is active and the user still exists. */
export async function callerOf(
  { service }: RouteContext,
  cookie: PortalCookie,
  exchange: Exchange,
): Promise<PortalCaller | undefined> {
  const { metadata, clock } = service;
  const session = await cookie.read(exchange.request.headers.get('cookie'), clock.now(), isSecure(exchange));
  if (!session || !(await metadata.tokens.familyIsLive(session.familyId))) return undefined;
  const user = await metadata.accounts.user(session.userId);
  return user && { session, user };
}

/** Runs a handler only for a user who is signed in to the portal before the body arrives, and afterwards. */
export function withPortalCaller(context: RouteContext, cookie: PortalCookie, handler: PortalHandler): Handler {
  const signedIn = async (exchange: Exchange): Promise<PortalCaller> => {
    const caller = await callerOf(context, cookie, exchange);
    if (!caller) throw new ServiceProblem('token_missing');
    return caller;
  };
  return async (exchange) => {
    const caller = await signedIn(exchange);
    currentRequest()?.identify(caller.session.accountId);
    if (!exchange.request.body) return handler(exchange, caller);
    await receiveBody(exchange.request);
    return handler(exchange, await signedIn(exchange));
  };
}

/** Used for all requests that change something. */
export function fromPage(handler: Handler): Handler {
  return async (exchange) => {
    requireSameOrigin(exchange.request, exchange.baseUrl);
    return handler(exchange);
  };
}

/** Returns whether the page is served over https. */
export function isSecure({ baseUrl }: Exchange): boolean {
  return baseUrl.startsWith('https:');
}
