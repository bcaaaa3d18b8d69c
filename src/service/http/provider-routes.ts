import { ACCOUNT_ENDPOINTS, authorizeQuery } from '../../protocol/accounts.ts';
import { jsonResponse } from '../request/answer.ts';
import { checked } from './body.ts';
import type { Handler, Route, RouteContext } from './routes.ts';

/** Seconds for which clients may cache the signing keys. */
const KEYS_AGE = 300;

/** Public routes: sign-in through identity providers, and the keys that verify our tokens. */
export function providerRoutes({ service, tokens, providers }: RouteContext): readonly Route[] {
  const { signup, providers: known } = service.accountSettings;
  const authorize: Handler = async ({ url, baseUrl }) => {
    const query = checked(Object.fromEntries(url.searchParams), authorizeQuery);
    return seeOther(await providers.authorize(query, baseUrl));
  };
  const callback: Handler = async ({ url, baseUrl }) => seeOther(await providers.callback(url.searchParams, baseUrl));
  const keys: Handler = async () =>
    jsonResponse(
      { keys: await tokens.keys.published(service.clock.now()) },
      { 'cache-control': `public, max-age=${KEYS_AGE}` },
    );
  const settings: Handler = async () =>
    jsonResponse({ signup, providers: known.map(({ name }) => name), password_reset: service.mail !== undefined });
  return [
    { path: ACCOUNT_ENDPOINTS.authorize, methods: { GET: authorize } },
    { path: ACCOUNT_ENDPOINTS.callback, methods: { GET: callback } },
    { path: ACCOUNT_ENDPOINTS.keys, methods: { GET: keys } },
    { path: ACCOUNT_ENDPOINTS.settings, methods: { GET: settings } },
  ];
}

/** The URL contains a code or a state, so it must not be cached. */
function seeOther(target: URL): Response {
  const headers = { location: target.href, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  return new Response(null, { status: 303, headers });
}
