import { setTimeout as sleep } from 'node:timers/promises';
import { readBytes } from '../../../../src/remote/http/http-body.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../../src/remote/http/http-client.ts';
import { HttpFailure } from '../../../../src/remote/http/http-failure.ts';

/** What happens to one call, or to all calls from one on. */
export interface HttpFault {
  /** Counted from 0. */
  readonly at: number;
  readonly kind: FaultKind;
  readonly isLasting: boolean;
}

export const FAULT_KINDS = [
  'refused',
  'answer lost',
  'late',
  'sent twice',
  'broken off',
  'cut short',
  'a bit flipped',
  'empty',
  'a page of HTML',
  'moved elsewhere',
  'busy: 429',
  'in repair: 503',
  'broken: 500',
  'a bad gateway: 502',
  'unknown: 404',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Returns each kind of fault of each of so many calls, once and from that call on. */
export function faultsIn(calls: number): readonly HttpFault[] {
  return Array.from({ length: calls }, (_, at) => at).flatMap((at) =>
    FAULT_KINDS.flatMap((kind) => [true, false].map((isLasting) => ({ at, kind, isLasting }))),
  );
}

export function nameOf({ at, kind, isLasting }: HttpFault): string {
  return `call ${at}${isLasting ? ' and all later ones' : ''}: ${kind}`;
}

const PAGE = Buffer.from('<!doctype html><title>Welcome to the hotel</title><form>Room number</form>');
const HTML = { 'content-type': 'text/html', 'content-length': String(PAGE.length) };
const LATE_MS = 20;

/** Answers without asking the service. */
const ANSWERS: Partial<Record<FaultKind, () => HttpResponse>> = {
  empty: () => new FixedResponse(200, { 'content-length': '0' }, Buffer.alloc(0)),
  'a page of HTML': () => new FixedResponse(200, HTML, PAGE),
  'moved elsewhere': () => new FixedResponse(302, { ...HTML, location: 'http://portal.invalid/' }, PAGE),
  'busy: 429': () => new FixedResponse(429, { 'retry-after': '1' }, Buffer.alloc(0)),
  'in repair: 503': () => new FixedResponse(503, { ...HTML, 'retry-after': '1' }, PAGE),
  'broken: 500': () => new FixedResponse(500, HTML, PAGE),
  'a bad gateway: 502': () => new FixedResponse(502, HTML, PAGE),
  'unknown: 404': () => new FixedResponse(404, HTML, PAGE),
};

/** Passes calls on, with a fault on demand. */
export class FaultyHttp implements HttpClient {
  readonly #inner: HttpClient;
  #calls = 0;
  #fault: HttpFault | undefined;

  constructor(inner: HttpClient) {
    this.#inner = inner;
  }

  /** Counts calls from 0 again. @returns the number of calls before */
  begin(fault?: HttpFault): number {
    const calls = this.#calls;
    this.#calls = 0;
    this.#fault = fault;
    return calls;
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    const call = this.#calls;
    this.#calls += 1;
    const fault = this.#fault;
    if (!fault || (fault.isLasting ? call < fault.at : call !== fault.at)) return await this.#inner.request(request);
    const answer = ANSWERS[fault.kind];
    if (answer) return answer();
    return await this.#withFault(fault.kind, request);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  async #withFault(kind: FaultKind, request: HttpRequest): Promise<HttpResponse> {
    const { origin } = new URL(request.url);
    if (kind === 'refused') throw new HttpFailure('refused', origin, { connected: false });
    if (kind === 'late') await sleep(LATE_MS);
    const response = await this.#inner.request(request);
    if (kind === 'late') return response;
    if (kind === 'sent twice') {
      await response.discard();
      return await this.#inner.request(request);
    }
    const bytes = Buffer.from(await response.bytes());
    const lost = new HttpFailure('reset', origin, { connected: true });
    if (kind === 'answer lost') throw lost;
    const half = bytes.subarray(0, bytes.length >> 1);
    if (kind === 'broken off') return new FixedResponse(response.status, response.headers, half, lost);
    if (kind === 'cut short') return new FixedResponse(response.status, response.headers, half);
    if (bytes.length > 0) bytes[bytes.length >> 1]! ^= 1;
    return new FixedResponse(response.status, response.headers, bytes);
  }
}

/** An answer that is known. */
export class FixedResponse implements HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;

  /** @param failure how the body ends, if not well */
  constructor(status: number, headers: HttpResponse['headers'], bytes: Uint8Array, failure?: HttpFailure) {
    this.status = status;
    this.headers = headers;
    this.body = bodyOf(bytes, failure);
  }

  bytes(limit?: number): Promise<Uint8Array> {
    return readBytes(this.body, limit);
  }

  async discard(): Promise<void> {
    // Nothing waits for the rest.
  }
}

async function* bodyOf(bytes: Uint8Array, failure: HttpFailure | undefined): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  if (bytes.length > 0) yield bytes;
  if (failure) throw failure;
}
