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
import { KIB, MINUTE } from '../../model/units.ts';

/** Default of `stallTimeoutMs`. */
const STALL_TIMEOUT_MS = MINUTE;

/** Larger bodies are sent in parts of this size, so that a slow connection is not taken for a stalled one. */
const PART_BYTES = 256 * KIB;

/** Time for requests under way to complete. */
const CLOSING_MS = 2_000;

const AGENT_OPTIONS = {
  connections: 32,
  connectTimeout: 10_000,
  keepAliveTimeout: 30_000,
  // Parallel PUTs of whole chunks are faster over separate connections than as streams of one.
  allowH2: false,
} as const;

type UndiciOptions = NonNullable<Parameters<typeof undiciRequest<null>>[1]>;

/** HTTP over a pool of persistent connections. Follows no redirects and adds no headers. */
export class UndiciHttp implements HttpClient {
  readonly #dispatcher: Dispatcher;
  readonly #monitor: StallMonitor;

  /**
   * @param environment provides HTTPS_PROXY, HTTP_PROXY and NO_PROXY
   * @param onStall called when nothing has moved for ten seconds although it should, and when something does again
   */
  constructor(
    environment: Readonly<Record<string, string | undefined>> = {},
    onStall: (isStalled: boolean) => void = () => undefined,
  ) {
    this.#dispatcher = dispatcherFor(environment);
    this.#monitor = new StallMonitor(onStall);
  }

  request(request: HttpRequest): Promise<HttpResponse> {
    const { body = null } = request;
    if (typeof body === 'function') return this.#send(request, body);
    if (typeof body === 'string' || !body || body.length <= PART_BYTES) return this.#exchange(request, { body });
    return this.#send({ ...request, headers: withLength(request.headers, body.length) }, () => partsOf(body));
  }

  /** Sends a body that is produced as it is sent. */
  async #send(request: HttpRequest, make: () => AsyncIterable<Uint8Array>): Promise<HttpResponse> {
    const { signal } = request;
    using timeout = new StallTimeout(request.stallTimeoutMs ?? STALL_TIMEOUT_MS);
    const streamed = streamedBody(make, timeout, this.#monitor);
    try {
      return await this.#exchange(request, {
        body: Readable.from(streamed.parts, { objectMode: false }),
        // undici's own timeout would also run while the body is being produced.
        headersTimeout: 0,
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      if (timeout.signal.aborted) {
        throw new HttpFailure('timeout', new URL(request.url).origin, { connected: true, cause: error });
      }
      const failure = streamed.failure();
      throw failure ? failure.error : error;
    }
  }

  async #exchange(request: HttpRequest, overrides: Partial<UndiciOptions>): Promise<HttpResponse> {
    const origin = new URL(request.url).origin;
    const timeout = request.stallTimeoutMs ?? STALL_TIMEOUT_MS;
    try {
      const response = undiciRequest(request.url, {
        dispatcher: this.#dispatcher,
        method: request.method,
        headers: request.headers ?? {},
        signal: request.signal ?? null,
        headersTimeout: timeout,
        bodyTimeout: timeout,
        ...overrides,
      });
      return new UndiciResponse(await this.#monitor.watch(response), origin, request.signal, this.#monitor);
    } catch (error) {
      throw request.signal?.aborted ? request.signal.reason : failureOf(error, origin);
    }
  }

  async close(): Promise<void> {
    // Requests under way may complete. The response to a refresh, for one, is the only copy of the next refresh token.
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

  constructor(
    response: Dispatcher.ResponseData,
    origin: string,
    signal: AbortSignal | undefined,
    monitor: StallMonitor,
  ) {
    this.status = response.statusCode;
    this.headers = singleValued(response.headers);
    this.#source = response.body;
    this.body = withFailures(response.body, origin, signal, monitor);
  }

  bytes(limit?: number): Promise<Uint8Array> {
    return readBytes(this.body, limit);
  }

  async discard(): Promise<void> {
    // A discarded body may break off.
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
  monitor: StallMonitor,
): AsyncGenerator<Uint8Array> {
  const parts = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const part = await monitor.watch(parts.next());
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
    // An empty string keeps undici from reading the process's environment.
    httpProxy: httpProxy ?? '',
    httpsProxy: httpsProxy ?? '',
    noProxy: exceptions,
  });
}
