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

/** Returns the bytes, or the part of them that the request's `Range` asks for (RFC 9110). Several ranges get all bytes. */
export function rangeAnswer(bytes: Uint8Array, requested: Headers): Response {
  const range = rangeOf(requested, bytes.length);
  if (range === 'none') {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${bytes.length}` } });
  }
  const answer = bytesAnswer(range === 'all' ? bytes : bytes.subarray(range.from, range.to));
  answer.headers.set('accept-ranges', 'bytes');
  if (range === 'all') return answer;
  answer.headers.set('content-range', `bytes ${range.from}-${range.to - 1}/${bytes.length}`);
  return new Response(answer.body, { status: 206, headers: answer.headers });
}

/** There are no validators, so an `If-Range` never matches. */
function rangeOf(requested: Headers, length: number): { readonly from: number; readonly to: number } | 'all' | 'none' {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(requested.get('range') ?? '') ?? [];
  if (first === undefined || last === undefined || requested.has('if-range')) return 'all';
  if (first === '' && last === '') return 'all';
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === '' || last === '' ? length : Math.min(length, Number(last) + 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return 'all';
  return from < to ? { from, to } : 'none';
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
