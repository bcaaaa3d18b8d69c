import { ReadableStream } from 'node:stream/web';
import { PROBLEM_MEDIA_TYPE } from '../../protocol/problem.ts';
import type { ServiceProblem } from './problem.ts';

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

export function jsonResponse(value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { headers: { ...JSON_HEADERS, ...headers } });
}

/** Streams JSON while it is created. A failure in the middle closes the connection, since it can no longer be reported. */
export function streamedJson(pieces: AsyncIterable<Uint8Array>): Response {
  return new Response(ReadableStream.from(pieces), { headers: JSON_HEADERS });
}

export function bytesAnswer(bytes: Uint8Array): Response {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(bytes.length),
    // A client chose these bytes.
    'x-content-type-options': 'nosniff',
  };
  return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
}

export function emptyAnswer(status = 200): Response {
  return new Response(null, { status });
}

export function problemAnswer(problem: ServiceProblem): Response {
  const headers = new Headers({ 'content-type': PROBLEM_MEDIA_TYPE, 'cache-control': 'no-store' });
  if (problem.facts.retryAfter !== undefined) headers.set('retry-after', String(problem.facts.retryAfter));
  if (problem.status === 401) headers.set('www-authenticate', 'Bearer');
  return new Response(JSON.stringify(problem.body), { status: problem.status, headers });
}
