import { ServiceProblem } from '../request/problem.ts';

/**
 * Rejects cross-site requests. SameSite=Strict already keeps the cookie from such requests; this check also
 * covers other hosts of the same site, and signing in, when there is no cookie yet.
 *
 * @param baseUrl public address of the service
 * @throws ServiceProblem `permission_denied`
 */
export function requireSameOrigin({ headers, url }: Request, baseUrl: string): void {
  // Scripts cannot set either of them.
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const isOurs =
    site === null
      ? origin !== null && (origin === new URL(baseUrl).origin || origin === new URL(url).origin)
      : site === 'same-origin';
  // A form of another site cannot send JSON.
  const isJson = /^application\/json\b/i.test(headers.get('content-type') ?? '');
  if (!isOurs || !isJson)
    throw new ServiceProblem('permission_denied', { detail: 'only the service’s own page asks this' });
}
