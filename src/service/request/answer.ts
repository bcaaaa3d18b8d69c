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

/** Streams a file to save while it is created. */
export function streamedFile(
  pieces: AsyncIterable<Uint8Array>,
  { name, type }: { readonly name: string; readonly type: string },
): Response {
  const headers = {
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return new Response(ReadableStream.from(pieces), { headers });
}

/** Some of the bytes of a whole, without the one at `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Answers with a whole of `length` bytes, or with the part of it that the request's `Range` asks for (RFC 9110). Several ranges get the
 * whole.
 *
 * @param read called for what the answer contains, which is at least one byte
 */
export async function rangeAnswer(
  length: number,
  requested: Headers,
  read: (range: ByteRange) => Promise<ReadableStream<Uint8Array>>,
): Promise<Response> {
  const range = rangeOf(requested, length);
  if (range === 'none') return new Response(null, { status: 416, headers: { 'content-range': `bytes */${length}` } });
  const { from, to } = range === 'all' ? { from: 0, to: length } : range;
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(to - from),
    // A client chose these bytes.
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    ...(range === 'all' ? {} : { 'content-range': `bytes ${from}-${to - 1}/${length}` }),
  };
  return new Response(await read({ from, to }), { status: range === 'all' ? 200 : 206, headers });
}

/** There are no validators, so an `If-Range` never matches. */
function rangeOf(requested: Headers, length: number): ByteRange | 'all' | 'none' {
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
