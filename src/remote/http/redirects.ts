import { HoldfastError } from '../../base/errors/errors.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';

/** Addresses that one request may be sent on to. */
const MOST_REDIRECTS = 5;

/** Statuses that send a request on. 303 makes another one of an upload. */
const REDIRECTS: Readonly<Record<string, ReadonlySet<number>>> = {
  GET: new Set([301, 302, 303, 307, 308]),
  PUT: new Set([301, 302, 307, 308]),
};

/**
 * Sends a request to a presigned address, and on to where its storage moves it: it has no token, and the rule for addresses of blobs
 * applies to each step. One that was encrypted stays so.
 *
 * @throws HoldfastError `service_error` with reason `redirect` for an address that is not allowed, or too many
 */
export async function requestFollowing(http: HttpClient, request: HttpRequest): Promise<HttpResponse> {
  let { url } = request;
  for (let step = 0; ; step += 1) {
    const response = await http.request({ ...request, url });
    if (REDIRECTS[request.method]?.has(response.status) !== true) return response;
    await response.discard();
    url = nextAddress(url, response, step);
  }
}

function nextAddress(from: string, { status, headers }: HttpResponse, step: number): string {
  const { location } = headers;
  const { origin, protocol } = new URL(from);
  const next = location !== undefined && URL.canParse(location, from) ? new URL(location, from) : undefined;
  const isAllowed = next && (next.protocol === 'https:' || (next.protocol === 'http:' && protocol === 'http:'));
  if (isAllowed && next.username + next.password === '' && step < MOST_REDIRECTS) return next.href;
  const detail = 'The object storage sends requests on to an address that is not allowed.';
  throw new HoldfastError('service_error', { address: origin, status, reason: 'redirect', detail });
}
