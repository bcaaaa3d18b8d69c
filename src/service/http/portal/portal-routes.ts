import { acceptInvitationRequest, pkceGrantRequest } from '../../../protocol/accounts.ts';
import { passwordGrantRequest } from '../../../protocol/auth.ts';
import type { UserSession } from '../../../protocol/auth.ts';
import {
  PORTAL_ENDPOINTS,
  PORTAL_GATEWAY,
  portalEnrolRequest,
  portalPasskeyRequest,
  portalVerifyRequest,
  setUpRequest,
} from '../../../protocol/portal/portal.ts';
import type { PortalSignedIn, PortalState } from '../../../protocol/portal/portal.ts';
import { acceptInvitation } from '../../auth/members.ts';
import { enrolFactor, enrollerOf, proveFactor } from '../../auth/factors/second-factors.ts';
import { passkeyOfSignIn, verifyPasskey } from '../../auth/passkey-sign-in.ts';
import { passwordGrant, verifyFactor } from '../../auth/sign-in.ts';
import { clientNow } from '../../auth/tokens/sessions.ts';
import { PortalCookie } from '../../portal-api/portal-cookie.ts';
import { ASSETS_FOLDER, PAGE_FILE } from '../../portal-api/page.ts';
import type { PortalPage } from '../../portal-api/page.ts';
import { setUp } from '../../portal-api/set-up.ts';
import { ServiceProblem } from '../../request/problem.ts';
import { jsonResponse } from '../../request/answer.ts';
import { readJson, receiveBody } from '../body.ts';
import { recoverHandler, resetHandler } from '../account-routes.ts';
import { callerOf, fromPage, isSecure, withPortalCaller } from './portal-caller.ts';
import { portalOwnRoutes } from './portal-own-routes.ts';
import type { Exchange, Handler, Route, RouteContext } from '../routes.ts';

/** Routes behind the gateway: everything that users do with their account and devices, with the same rules. */
const GATEWAY_PATHS =
  /^\/(auth\/v1\/(user|factors|recovery_codes|confirmation|passkeys|sessions|members|invitations|audit|erasures|account_data)|rest\/v1|functions\/v1\/retention)(\/|$)/;

export interface PortalOptions {
  readonly page: PortalPage;
  /** The name of the secret that signs the portal's cookie. */
  readonly key: Uint8Array;
  /** The whole service. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Routes of the portal and its API. */
export function portalRoutes(context: RouteContext, { page, key, fetch }: PortalOptions): readonly Route[] {
  const cookie = new PortalCookie(key);
  const asset: Handler = async ({ request, parameters }) =>
    page.answer(`${ASSETS_FOLDER}/${parameters['name'] ?? ''}`, request);
  return [
    { path: '/', methods: { GET: async ({ request }) => page.answer(PAGE_FILE, request) } },
    { path: `/${ASSETS_FOLDER}/:name`, methods: { GET: asset } },
    ...entranceRoutes(context, cookie),
    ...portalOwnRoutes(context, cookie),
    { path: `${PORTAL_GATEWAY}/*`, methods: gateway(context, cookie, fetch) },
  ];
}

/** Routes before signing in. */
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
    return jsonResponse(answer, { 'set-cookie': header });
  };
  return [
    { path: PORTAL_ENDPOINTS.state, methods: { GET: (exchange) => stateAnswer(context, cookie, exchange) } },
    post(PORTAL_ENDPOINTS.setUp, async ({ request }) =>
      jsonResponse(await setUp(service, tokens, await readJson(request, setUpRequest))),
    ),
    post(PORTAL_ENDPOINTS.signIn, async ({ request }) =>
      jsonResponse(await passwordGrant(service, tokens, await readJson(request, passwordGrantRequest))),
    ),
    post(PORTAL_ENDPOINTS.join, async ({ request }) =>
      jsonResponse(await acceptInvitation(service, tokens, await readJson(request, acceptInvitationRequest))),
    ),
    post(PORTAL_ENDPOINTS.recover, recoverHandler(context)),
    post(PORTAL_ENDPOINTS.reset, resetHandler(context)),
    post(PORTAL_ENDPOINTS.provider, async ({ request }) =>
      jsonResponse(await context.providers.grant(await readJson(request, pkceGrantRequest))),
    ),
    post(PORTAL_ENDPOINTS.enrol, async ({ request }) => {
      const { enrolment_token: token } = await readJson(request, portalEnrolRequest);
      const { userId } = await enrollerOf(service, tokens, token);
      return jsonResponse(await enrolFactor(service, userId, undefined));
    }),
    post(PORTAL_ENDPOINTS.passkeyOptions, async ({ request }) => {
      const { mfa_token: mfaToken } = await readJson(request, portalPasskeyRequest);
      return jsonResponse(await passkeyOfSignIn(service, tokens, mfaToken));
    }),
    post(PORTAL_ENDPOINTS.verify, async (exchange) => {
      const body = await readJson(exchange.request, portalVerifyRequest);
      const { mfa_token: mfaToken } = body;
      const userAgent = exchange.request.headers.get('user-agent') ?? undefined;
      if ('credential' in body) {
        const { credential } = body;
        return enter(exchange, await verifyPasskey(service, tokens, { mfaToken, credential, userAgent }));
      }
      const given = { factorId: body.factor_id, code: body.code, userAgent };
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
  const { metadata, clock, accountSettings } = context.service;
  const caller = await callerOf(context, cookie, exchange);
  if (!caller) {
    const providers = accountSettings.providers.map(({ name }) => name);
    const state: PortalState = (await metadata.accounts.hasAccount())
      ? { kind: 'signed-out', providers, password_reset: context.service.mail !== undefined }
      : { kind: 'set-up' };
    return jsonResponse(state);
  }
  const { session, user } = caller;
  const { id, email, role } = user;
  const state: PortalState = { kind: 'signed-in', user: { id, email, role }, account_id: session.accountId };
  if (session.isDue) {
    const userAgent = exchange.request.headers.get('user-agent') ?? undefined;
    await metadata.signIns.used(session.familyId, clientNow(userAgent), clock.now());
  }
  const renewed = session.isDue ? await cookie.issue(session, clock.now(), isSecure(exchange)) : undefined;
  return jsonResponse(state, renewed === undefined ? {} : { 'set-cookie': renewed });
}

/** Forwards to the account's own interface, with an access token instead of the cookie. */
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
    const body = request.body && ((await receiveBody(request)) as Uint8Array<ArrayBuffer>);
    const init = { method: request.method, headers, body };
    return fetch(new Request(new URL(path + url.search, url), init));
  });
  const change = fromPage(forward);
  return { GET: forward, POST: change, PUT: change, PATCH: change, DELETE: change };
}
