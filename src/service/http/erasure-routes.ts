import { ACCOUNT_ENDPOINTS, erasureRequest } from '../../protocol/accounts.ts';
import { requireFreshFactor } from '../auth/factors/fresh-factor.ts';
import { requireRole } from '../auth/members.ts';
import { accountData } from '../erasure/account-data.ts';
import { cancelByUser, listErasures, requestByUser } from '../erasure/account-erasures.ts';
import { emptyAnswer, jsonResponse } from '../request/answer.ts';
import type { User } from '../auth/account-store.ts';
import { readJson } from './body.ts';
import { type Exchange, type Handler, type Route, type RouteContext, withCaller } from './routes.ts';

/** Routes for erasing what the service stores, for people only: a device key never erases anything. */
export function erasureRoutes(context: RouteContext): readonly Route[] {
  const { service } = context;
  const asAuditor = (handler: (exchange: Exchange, by: User) => Promise<Response>): Handler =>
    withCaller(context, async (exchange, caller) => handler(exchange, await requireRole(service, caller, 'auditor')));
  const request = withCaller(context, async (exchange, caller) => {
    const by = await requireRole(service, caller, 'admin');
    if (caller.kind === 'user') await requireFreshFactor(service, caller);
    return jsonResponse(await requestByUser(service, by, await readJson(exchange.request, erasureRequest)));
  });
  // A sign-in that could cancel without a code could postpone an erasure for ever: a new one waits again.
  const cancel = withCaller(context, async ({ parameters }, caller) => {
    const by = await requireRole(service, caller, 'admin');
    if (caller.kind === 'user') await requireFreshFactor(service, caller);
    await cancelByUser(service, by, parameters['erasure_id'] ?? '');
    return emptyAnswer();
  });
  const list = asAuditor(async (_, { accountId }) =>
    jsonResponse({ erasures: await listErasures(service, accountId) }),
  );
  return [
    { path: ACCOUNT_ENDPOINTS.erasures, methods: { GET: list, POST: request } },
    { path: ACCOUNT_ENDPOINTS.erasure, methods: { DELETE: cancel } },
    {
      path: ACCOUNT_ENDPOINTS.accountData,
      methods: { GET: asAuditor(async (_, by) => jsonResponse(await accountData(service, by))) },
    },
  ];
}
