import { acceptInvitationRequest } from '../../protocol/accounts.ts';
import { passwordGrantRequest } from '../../protocol/auth.ts';
import type { UserSession } from '../../protocol/auth.ts';
import {
  PORTAL_ENDPOINTS,
  PORTAL_GATEWAY,
  changeWebhookRequest,
  createWebhookRequest,
  portalEnrolRequest,
  portalVerifyRequest,
  setUpRequest,
} from '../../protocol/portal.ts';
import type { PortalSignedIn, PortalState } from '../../protocol/portal.ts';
import { acceptInvitation, requireRole } from '../auth/members.ts';
import { enrolFactor, enrollerOf, proveFactor } from '../auth/second-factors.ts';
import { endSession } from '../auth/sessions.ts';
import { passwordGrant, verifyFactor } from '../auth/sign-in.ts';
import { currentRequest } from '../operation/request-scope.ts';
import { PortalCookie } from '../portal-api/portal-cookie.ts';
import { ASSETS_FOLDER, PAGE_FILE } from '../portal-api/page.ts';
import type { PortalPage } from '../portal-api/page.ts';
import type { PortalSession } from '../portal-api/portal-cookie.ts';
import { requireSameOrigin } from '../portal-api/same-origin.ts';
import { setUp } from '../portal-api/set-up.ts';
import { accountBackupSets, accountUsage } from '../portal-api/usage.ts';
import { PortalWebhookList } from '../portal-api/webhooks.ts';
import { ServiceProblem } from '../problem.ts';
import { emptyAnswer, jsonAnswer } from './answer.ts';
import { readJson } from './body.ts';
import type { Exchange, Handler, Route, RouteContext } from './routes.ts';

/** What the gateway leads to: everything that people do with their account and its devices, by the same rules. */
const GATEWAY_PATHS = /^\/(auth\/v1\/(user|factors|recovery_codes|sessions|members|invitations|audit)|rest\/v1)(\/|$)/;

type PortalCaller = Extract<Awaited<ReturnType<typeof callerOf>>, object>;
type PortalHandler = (exchange: Exchange, caller: PortalCaller) => Promise<Response>;

export interface PortalOptions {
  readonly page: PortalPage;
  /** Under which the page's cookie is signed. */
  readonly key: Uint8Array;
  /** The whole service. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The service's own web page, and what it asks. */
export function portalRoutes(context: RouteContext, { page, key, fetch }: PortalOptions): readonly Route[] {
  const cookie = new PortalCookie(key);
  const asset: Handler = async ({ request, parameters }) =>
    page.answer(`${ASSETS_FOLDER}/${parameters['name'] ?? ''}`, request);
  return [
    { path: '/', methods: { GET: async ({ request }) => page.answer(PAGE_FILE, request) } },
    { path: `/${ASSETS_FOLDER}/:name`, methods: { GET: asset } },
    ...entranceRoutes(context, cookie),
    ...ownRoutes(context, cookie),
    { path: `${PORTAL_GATEWAY}/*`, methods: gateway(context, cookie, fetch) },
  ];
}

/** Before somebody is signed in. */
function entranceRoutes(context: RouteContext, cookie: PortalCookie): readonly Route[] {
  const { service, tokens } = context;
  const post = (path: string, handler: Handler): Route => ({ path, methods: { POST: fromPage(handler) } });
  const enter = async (exchange: Exchange, session: UserSession, codes: readonly string[] = []): Promise<Response> => {
    const now = service.clock.now();
    const claims = await tokens.verify(session.access_token, now);
    if (claims.kind !== 'user') throw new ServiceProblem('token_invalid');
    const header = await cookie.issue(
      { userId: claims.sub, accountId: claims.account, familyId: claims.family },
      now,
      isSecure(exchange),
    );
    const answer: PortalSignedIn = { recovery_codes: [...codes] };
    return jsonAnswer(answer, { 'set-cookie': header });
  };
  return [
    { path: PORTAL_ENDPOINTS.state, methods: { GET: (exchange) => stateAnswer(context, cookie, exchange) } },
    post(PORTAL_ENDPOINTS.setUp, async ({ request }) =>
      jsonAnswer(await setUp(service, tokens, await readJson(request, setUpRequest))),
    ),
    post(PORTAL_ENDPOINTS.signIn, async ({ request }) =>
      jsonAnswer(await passwordGrant(service, tokens, await readJson(request, passwordGrantRequest))),
    ),
    post(PORTAL_ENDPOINTS.join, async ({ request }) =>
      jsonAnswer(await acceptInvitation(service, tokens, await readJson(request, acceptInvitationRequest))),
    ),
    post(PORTAL_ENDPOINTS.enrol, async ({ request }) => {
      const { enrolment_token: token } = await readJson(request, portalEnrolRequest);
      const { userId } = await enrollerOf(service, tokens, token);
      return jsonAnswer(await enrolFactor(service, userId, undefined));
    }),
    post(PORTAL_ENDPOINTS.verify, async (exchange) => {
      const { mfa_token: mfaToken, factor_id: factorId, code } = await readJson(exchange.request, portalVerifyRequest);
      const given = { factorId, code, userAgent: exchange.request.headers.get('user-agent') ?? undefined };
      if (tokens.purposeOf(mfaToken) !== 'enrolment') {
        return enter(exchange, await verifyFactor(service, tokens, { ...given, mfaToken }));
      }
      const enroller = await enrollerOf(service, tokens, mfaToken);
      const { session, recoveryCodes } = await proveFactor(service, tokens, enroller, given);
      if (!session) throw new ServiceProblem('token_invalid');
      return enter(exchange, session, recoveryCodes);
    }),
  ];
}

async function stateAnswer(context: RouteContext, cookie: PortalCookie, exchange: Exchange): Promise<Response> {
  const { metadata, clock } = context.service;
  const caller = await callerOf(context, cookie, exchange);
  if (!caller) {
    const state: PortalState = { kind: (await metadata.accounts.firstAccount()) ? 'signed-out' : 'set-up' };
    return jsonAnswer(state);
  }
  const { session, user } = caller;
  const { id, email, role } = user;
  const state: PortalState = { kind: 'signed-in', user: { id, email, role }, account_id: session.accountId };
  const renewed = session.isDue ? await cookie.issue(session, clock.now(), isSecure(exchange)) : undefined;
  return jsonAnswer(state, renewed === undefined ? {} : { 'set-cookie': renewed });
}

/** What only the page asks. */
function ownRoutes(context: RouteContext, cookie: PortalCookie): readonly Route[] {
  const { service } = context;
  const signedIn = (handler: PortalHandler): Handler => withPortalCaller(context, cookie, handler);
  const asAdmin = (work: (list: PortalWebhookList, exchange: Exchange) => Promise<unknown>): Handler =>
    signedIn(async (exchange, { session }) => {
      await requireRole(service, { kind: 'user', ...session }, 'admin');
      return jsonAnswer((await work(new PortalWebhookList(service, session.accountId), exchange)) ?? {});
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
        GET: signedIn(async (_, { session }) => jsonAnswer(await accountBackupSets(service, session.accountId))),
      },
    },
    {
      path: PORTAL_ENDPOINTS.usage,
      methods: { GET: signedIn(async (_, { session }) => jsonAnswer(await accountUsage(service, session.accountId))) },
    },
    {
      path: PORTAL_ENDPOINTS.webhooks,
      methods: {
        GET: asAdmin((list) => list.list()),
        POST: fromPage(
          asAdmin(async (list, { request }) => {
            const { url, events } = await readJson(request, createWebhookRequest);
            return list.create(url, events);
          }),
        ),
      },
    },
    {
      path: PORTAL_ENDPOINTS.webhook,
      methods: {
        PATCH: fromPage(
          asAdmin(async (list, exchange) => {
            const { enabled } = await readJson(exchange.request, changeWebhookRequest);
            await list.setEnabled(idOf(exchange), enabled);
          }),
        ),
        DELETE: fromPage(asAdmin((list, exchange) => list.remove(idOf(exchange)))),
      },
    },
    {
      path: PORTAL_ENDPOINTS.webhookSecret,
      methods: { POST: fromPage(asAdmin((list, exchange) => list.rotate(idOf(exchange)))) },
    },
    {
      path: PORTAL_ENDPOINTS.deliveries,
      methods: { GET: asAdmin((list, exchange) => list.deliveries(idOf(exchange))) },
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

/** The account's own interface, where an access token stands in the place of the cookie. */
function gateway(
  context: RouteContext,
  cookie: PortalCookie,
  fetch: PortalOptions['fetch'],
): Readonly<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Handler>> {
  const forward = withPortalCaller(context, cookie, async ({ request, url }, { session }) => {
    const path = url.pathname.slice(PORTAL_GATEWAY.length);
    if (!GATEWAY_PATHS.test(path)) throw new ServiceProblem('not_found', { detail: 'no such endpoint' });
    const { userId: sub, accountId: account, familyId: family } = session;
    const token = await context.tokens.issue({ kind: 'user', sub, account, family }, context.service.clock.now());
    const headers = new Headers({ authorization: `Bearer ${token}` });
    for (const name of ['content-type', 'user-agent']) {
      const value = request.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    const body = request.method === 'GET' ? null : await request.arrayBuffer();
    return fetch(new Request(new URL(path + url.search, url), { method: request.method, headers, body }));
  });
  const change = fromPage(forward);
  return { GET: forward, POST: change, PUT: change, PATCH: change, DELETE: change };
}

/** Whoever the cookie says, where that sign-in was not ended and the person is still there. */
async function callerOf({ service }: RouteContext, cookie: PortalCookie, exchange: Exchange) {
  const { metadata, clock } = service;
  const session = await cookie.read(exchange.request.headers.get('cookie'), clock.now(), isSecure(exchange));
  if (!session || !(await metadata.tokens.familyIsLive(session.familyId))) return undefined;
  const user = await metadata.accounts.user(session.userId);
  return user && { session, user };
}

function withPortalCaller(context: RouteContext, cookie: PortalCookie, handler: PortalHandler): Handler {
  return async (exchange) => {
    const caller: { readonly session: PortalSession; readonly user: PortalCaller['user'] } | undefined = await callerOf(
      context,
      cookie,
      exchange,
    );
    if (!caller) throw new ServiceProblem('token_missing');
    currentRequest()?.identify(caller.session.accountId);
    return handler(exchange, caller);
  };
}

/** For everything that changes something. */
function fromPage(handler: Handler): Handler {
  return async (exchange) => {
    requireSameOrigin(exchange.request, exchange.baseUrl);
    return handler(exchange);
  };
}

function isSecure({ baseUrl }: Exchange): boolean {
  return baseUrl.startsWith('https:');
}
