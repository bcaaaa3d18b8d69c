import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { Agent, EnvHttpProxyAgent, request as undiciRequest } from 'undici';
import type { Dispatcher } from 'undici';
import { failureOf, HttpFailure } from './http-failure.ts';
import { readBytes, withLength } from './http-body.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';
import { StallMonitor } from './stall-monitor.ts';
import { StallTimeout } from './stall-timeout.ts';
import { streamedBody } from './streamed-body.ts';

/** Longest silence of the other side, unless a request says otherwise. */
const SILENCE_MS = 60_000;

/** A body beyond this goes out in parts of it, so that a slow line is told from a silent one. */
const PART_BYTES = 256 * 1024;

/** How long requests that are under way may take to end. */
const CLOSING_MS = 2_000;

const AGENT_OPTIONS = {
  connections: 32,
  connectTimeout: 10_000,
  keepAliveTimeout: 30_000,
  // Parallel PUTs of whole chunks go faster over connections of their own than as streams of one.
  allowH2: false,
} as const;

type UndiciOptions = NonNullable<Parameters<typeof undiciRequest<null>>[1]>;

/** Plain HTTP over a pool of kept connections. Follows no redirect and adds no header of its own. */
export class UndiciHttp implements HttpClient {
  readonly #dispatcher: Dispatcher;
  readonly #line: StallMonitor;

  /**
   * @param environment where HTTPS_PROXY, HTTP_PROXY and NO_PROXY are looked up
   * @param onStill called when nothing has moved for ten seconds although it should, and when something does again
   */
  constructor(
    environment: Readonly<Record<string, string | undefined>> = {},
    onStill: (still: boolean) => void = () => undefined,
  ) {
    this.#dispatcher = dispatcherFor(environment);
    this.#line = new StallMonitor(onStill);
  }

  request(request: HttpRequest): Promise<HttpResponse> {
    const { body = null } = request;
    if (typeof body === 'function') return this.#send(request, body);
    if (typeof body === 'string' || !body || body.length <= PART_BYTES) return this.#exchange(request, { body });
    return this.#send({ ...request, headers: withLength(request.headers, body.length) }, () => partsOf(body));
  }

  /** As `request`, with a body that is made as it is sent. */
  async #send(request: HttpRequest, make: () => AsyncIterable<Uint8Array>): Promise<HttpResponse> {
    const { signal } = request;
    using silence = new StallTimeout(request.stallTimeoutMs ?? SILENCE_MS);
    const watched = streamedBody(make, silence, this.#line);
    try {
      return await this.#exchange(request, {
        body: Readable.from(watched.parts, { objectMode: false }),
        // Its own clock for this would run while the body is being made, too.
        headersTimeout: 0,
        signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      if (silence.signal.aborted) {
        throw new HttpFailure('timeout', new URL(request.url).origin, { connected: true, cause: error });
      }
      const failure = watched.failure();
      throw failure ? failure.error : error;
    }
  }

  async #exchange(request: HttpRequest, different: Partial<UndiciOptions>): Promise<HttpResponse> {
    const origin = new URL(request.url).origin;
    const silence = request.stallTimeoutMs ?? SILENCE_MS;
    try {
      const asked = undiciRequest(request.url, {
        dispatcher: this.#dispatcher,
        method: request.method,
        headers: request.headers ?? {},
        signal: request.signal ?? null,
        headersTimeout: silence,
        bodyTimeout: silence,
        ...different,
      });
      return new UndiciResponse(await this.#line.watch(asked), origin, request.signal, this.#line);
    } catch (error) {
      throw request.signal?.aborted ? request.signal.reason : failureOf(error, origin);
    }
  }

  async close(): Promise<void> {
    // What is under way comes to its end: the answer to a refresh, for one, is the only copy of the next refresh token.
    const grace = new AbortController();
    const ended = this.#dispatcher.close().finally(() => grace.abort());
    await Promise.race([ended, setTimeout(CLOSING_MS, undefined, { signal: grace.signal }).catch(() => undefined)]);
    await this.#dispatcher.destroy();
  }
}

class UndiciResponse implements HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly #source: Dispatcher.ResponseData['body'];

  constructor(answer: Dispatcher.ResponseData, origin: string, signal: AbortSignal | undefined, line: StallMonitor) {
    this.status = answer.statusCode;
    this.headers = singleValued(answer.headers);
    this.#source = answer.body;
    this.body = withFailures(answer.body, origin, signal, line);
  }

  bytes(limit?: number): Promise<Uint8Array> {
    return readBytes(this.body, limit);
  }

  async discard(): Promise<void> {
    // A body that breaks off while it is thrown away harms nobody.
    await this.#source.dump().catch(() => undefined);
  }
}

async function* partsOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < body.length; from += PART_BYTES) yield body.subarray(from, from + PART_BYTES);
}

async function* withFailures(
  body: AsyncIterable<Uint8Array>,
  origin: string,
  signal: AbortSignal | undefined,
  line: StallMonitor,
): AsyncGenerator<Uint8Array> {
  const parts = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const part = await line.watch(parts.next());
      if (part.done) return;
      yield part.value;
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : failureOf(error, origin);
  } finally {
    await parts.return?.();
  }
}

function singleValued(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string | undefined>> {
  const single: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) single[name] = Array.isArray(value) ? value.join(', ') : value;
  return single;
}

function dispatcherFor(environment: Readonly<Record<string, string | undefined>>): Dispatcher {
  const lookUp = (name: string): string | undefined => environment[name.toLowerCase()] ?? environment[name];
  const httpProxy = lookUp('HTTP_PROXY');
  const httpsProxy = lookUp('HTTPS_PROXY');
  if (!httpProxy && !httpsProxy) return new Agent(AGENT_OPTIONS);
  const exceptions = [lookUp('NO_PROXY'), 'localhost', '127.0.0.1', '::1'].filter(Boolean).join(',');
  return new EnvHttpProxyAgent({
    ...AGENT_OPTIONS,
    // An empty text keeps undici from looking at the process's own environment.
    httpProxy: httpProxy ?? '',
    httpsProxy: httpsProxy ?? '',
    noProxy: exceptions,
  });
}
