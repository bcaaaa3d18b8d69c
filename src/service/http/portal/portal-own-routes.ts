import {
  PORTAL_ENDPOINTS,
  changePlanRequest,
  changeWebhookRequest,
  createWebhookRequest,
  notePaymentRequest,
  replayRequest,
} from '../../../protocol/portal/portal.ts';
import { portalDevicesQuery, portalSetsQuery } from '../../../protocol/portal/portal-devices.ts';
import { portalMembersQuery } from '../../../protocol/portal/portal-members.ts';
import { requireFreshFactor } from '../../auth/factors/fresh-factor.ts';
import { requireRole } from '../../auth/members.ts';
import { endSession } from '../../auth/tokens/sessions.ts';
import { accountMembers } from '../../portal-api/members.ts';
import { accountAttention } from '../../portal-api/attention.ts';
import { accountDevices, deviceDetails } from '../../portal-api/devices.ts';
import { accountPlan, changePlan, notePayment } from '../../portal-api/plan.ts';
import type { PortalCookie } from '../../portal-api/portal-cookie.ts';
import { accountBackupSets, accountUsage } from '../../portal-api/usage.ts';
import { PortalWebhookList } from '../../portal-api/webhooks.ts';
import { emptyAnswer, jsonResponse } from '../../request/answer.ts';
import { checked, readJson } from '../body.ts';
import { fromPage, isSecure, withPortalCaller } from './portal-caller.ts';
import type { PortalHandler } from './portal-caller.ts';
import type { Exchange, Handler, Route, RouteContext } from '../routes.ts';

/** Routes that only the portal uses. */
export function portalOwnRoutes(context: RouteContext, cookie: PortalCookie): readonly Route[] {
  const { service } = context;
  const signedIn = (handler: PortalHandler): Handler => withPortalCaller(context, cookie, handler);
  const asAdmin = (work: (list: PortalWebhookList, exchange: Exchange) => Promise<unknown>): Handler =>
    signedIn(async (exchange, { session }) => {
      const user = await requireRole(service, { kind: 'user', ...session }, 'admin');
      return jsonResponse((await work(new PortalWebhookList(service, user), exchange)) ?? {});
    });
  /** A webhook sends what happens elsewhere, and one that is gone reports nothing. */
  const asFreshAdmin = (work: (list: PortalWebhookList, exchange: Exchange) => Promise<unknown>): Handler =>
    signedIn(async (exchange, { session }) => {
      const user = await requireRole(service, { kind: 'user', ...session }, 'admin');
      await requireFreshFactor(service, session);
      return jsonResponse((await work(new PortalWebhookList(service, user), exchange)) ?? {});
    });
  const idOf = ({ parameters }: Exchange): string => parameters['webhook_id'] ?? '';
  const signOut = signedIn(async (exchange, { session }) => {
    await endSession(service, { kind: 'user', ...session }, session.familyId);
    const answer = emptyAnswer();
    answer.headers.set('set-cookie', cookie.clear(isSecure(exchange)));
    return answer;
  });
  return [
    { path: PORTAL_ENDPOINTS.signOut, methods: { POST: fromPage(signOut) } },
    {
      path: PORTAL_ENDPOINTS.backupSets,
      methods: {
        GET: signedIn(async ({ url }, { session }) => {
          const query = checked(Object.fromEntries(url.searchParams), portalSetsQuery);
          return jsonResponse(await accountBackupSets(service, session.accountId, query));
        }),
      },
    },
    {
      path: PORTAL_ENDPOINTS.attention,
      methods: {
        GET: signedIn(async (_, { user }) => jsonResponse(await accountAttention(service, user))),
      },
    },
    {
      path: PORTAL_ENDPOINTS.members,
      methods: {
        GET: signedIn(async ({ url }, { session }) => {
          const { accountId } = await requireRole(service, { kind: 'user', ...session }, 'auditor');
          const query = checked(Object.fromEntries(url.searchParams), portalMembersQuery);
          return jsonResponse(await accountMembers(service, accountId, query));
        }),
      },
    },
    {
      path: PORTAL_ENDPOINTS.devices,
      methods: {
        GET: signedIn(async ({ url }, { session }) => {
          const query = checked(Object.fromEntries(url.searchParams), portalDevicesQuery);
          return jsonResponse(await accountDevices(service, session.accountId, query));
        }),
      },
    },
    {
      path: PORTAL_ENDPOINTS.device,
      methods: {
        GET: signedIn(async ({ parameters }, { user }) =>
          jsonResponse(await deviceDetails(service, user, parameters['device_id'] ?? '')),
        ),
      },
    },
    {
      path: PORTAL_ENDPOINTS.usage,
      methods: {
        GET: signedIn(async (_, { session }) => jsonResponse(await accountUsage(service, session.accountId))),
      },
    },
    {
      path: PORTAL_ENDPOINTS.plan,
      methods: {
        GET: signedIn(async (_, { user }) => jsonResponse(await accountPlan(service, user))),
        PUT: fromPage(
          signedIn(async ({ request }, { user }) =>
            jsonResponse(await changePlan(service, user, await readJson(request, changePlanRequest))),
          ),
        ),
      },
    },
    {
      path: PORTAL_ENDPOINTS.payments,
      methods: {
        POST: fromPage(
          signedIn(async ({ request }, { user }) =>
            jsonResponse(await notePayment(service, user, await readJson(request, notePaymentRequest))),
          ),
        ),
      },
    },
    {
      path: PORTAL_ENDPOINTS.webhooks,
      methods: {
        GET: asAdmin((list) => list.list()),
        POST: fromPage(
          asFreshAdmin(async (list, { request }) => {
            return list.create(await readJson(request, createWebhookRequest));
          }),
        ),
      },
    },
    {
      path: PORTAL_ENDPOINTS.webhook,
      methods: {
        PATCH: fromPage(
          asFreshAdmin(async (list, exchange) => {
            await list.change(idOf(exchange), await readJson(exchange.request, changeWebhookRequest));
          }),
        ),
        DELETE: fromPage(asFreshAdmin((list, exchange) => list.remove(idOf(exchange)))),
      },
    },
    {
      path: PORTAL_ENDPOINTS.webhookSecret,
      methods: { POST: fromPage(asFreshAdmin((list, exchange) => list.rotate(idOf(exchange)))) },
    },
    {
      path: PORTAL_ENDPOINTS.deliveries,
      methods: { GET: asAdmin((list, exchange) => list.deliveries(idOf(exchange))) },
    },
    {
      path: PORTAL_ENDPOINTS.webhookTest,
      methods: { POST: fromPage(asAdmin((list, exchange) => list.test(idOf(exchange)))) },
    },
    {
      path: PORTAL_ENDPOINTS.replay,
      methods: {
        POST: fromPage(
          asAdmin(async (list, exchange) =>
            list.replay(idOf(exchange), await readJson(exchange.request, replayRequest)),
          ),
        ),
      },
    },
    {
      path: PORTAL_ENDPOINTS.resend,
      methods: {
        POST: fromPage(
          asAdmin((list, exchange) => list.sendAgain(idOf(exchange), exchange.parameters['delivery_id'] ?? '')),
        ),
      },
    },
  ];
}
