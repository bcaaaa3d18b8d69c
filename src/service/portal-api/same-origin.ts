import { ServiceProblem } from '../request/problem.ts';

/**
 * Refuses what another site's page made a browser send. SameSite=Strict keeps the cookie from such requests already; this
 * holds for sites beside this one on the same domain too, and for signing in, where there is no cookie yet.
 *
 * @param baseUrl where clients reach the service
 * @throws ServiceProblem `permission_denied`
 */
export function requireSameOrigin({ headers, url }: Request, baseUrl: string): void {
  // Pages cannot set either of them.
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const isOurs =
    site === null
      ? origin !== null && (origin === new URL(baseUrl).origin || origin === new URL(url).origin)
      : site === 'same-origin';
  // A form of another site can send no JSON.
  const isJson = /^application\/json\b/i.test(headers.get('content-type') ?? '');
  if (!isOurs || !isJson)
    throw new ServiceProblem('permission_denied', { detail: 'only the service’s own page asks this' });
}
