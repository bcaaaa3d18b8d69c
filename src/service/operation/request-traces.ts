import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';

/** Spans that are sent at once, and that wait at most while the collector is away; later ones are dropped. */
const AT_ONCE = 512;
const MOST_WAITING = 4_096;
/** Milliseconds between two requests to the collector, and for one of them. */
const INTERVAL = 5_000;
const TIMEOUT = 10_000;

/** Kinds and states of spans in OTLP. */
const KIND_SERVER = 2;
const STATUS_ERROR = 2;

export interface TracedRequest {
  readonly method: string;
  /** The pattern of the path, without values. */
  readonly route: string;
  readonly status: number;
  readonly requestId: string;
}

/** Ends the span of a request. */
export type EndTrace = (request: TracedRequest) => void;

/**
 * Sends a span for each request to an OpenTelemetry collector, as OTLP over HTTP in JSON. A caller's `traceparent` (W3C Trace
 * Context) is continued; requests that the caller does not sample are left out. Spans contain no names and no addresses.
 */
export class RequestTraces {
  readonly #url: string;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #waiting: object[] = [];
  #sending: Promise<void> = Promise.resolve();
  #isFailing = false;

  /** @param url of the collector, such as `http://localhost:4318/v1/traces` */
  constructor(url: string, log: Logger) {
    this.#url = url;
    this.#log = log;
    this.#timer = setInterval(() => void this.#flush(), INTERVAL).unref();
  }

  begin(traceparent: string | undefined): EndTrace {
    const parent = parentOf(traceparent);
    if (parent?.isSampled === false) return () => undefined;
    const started = nanoseconds();
    return (request) => {
      if (this.#waiting.length >= MOST_WAITING) return;
      this.#waiting.push(spanOf(parent, started, request));
      if (this.#waiting.length === AT_ONCE) void this.#flush();
    };
  }

  /** Sends what is left. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }

  #flush(): Promise<void> {
    this.#sending = this.#drain(this.#sending);
    return this.#sending;
  }

  async #drain(before: Promise<void>): Promise<void> {
    await before;
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.slice(0, AT_ONCE);
      this.#waiting = this.#waiting.slice(AT_ONCE);
      if (!(await this.#send(spans))) return;
    }
  }

  /** Returns whether the collector accepted the spans. They are not sent again: traces must not hold memory. */
  async #send(spans: readonly object[]): Promise<boolean> {
    const scopeSpans = [{ scope: { name: 'holdfast' }, spans }];
    const body = JSON.stringify({
      resourceSpans: [{ resource: { attributes: [text('service.name', 'holdfast')] }, scopeSpans }],
    });
    const reason = await post(this.#url, body);
    if (reason !== undefined && !this.#isFailing) this.#log.warn({ reason }, 'traces cannot be sent');
    this.#isFailing = reason !== undefined;
    return !this.#isFailing;
  }
}

/** Returns why the collector did not accept the body; `undefined` if it did. */
async function post(url: string, body: string): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json' };
  try {
    const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT) });
    await answer.arrayBuffer();
    return answer.ok ? undefined : `HTTP ${answer.status}`;
  } catch (error) {
    return error instanceof Error ? error.name : 'unknown';
  }
}

interface Parent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

function parentOf(traceparent: string | undefined): Parent | undefined {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

function spanOf(
  parent: Parent | undefined,
  started: bigint,
  { method, route, status, requestId }: TracedRequest,
): object {
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    ...(parent ? { parentSpanId: parent.spanId } : {}),
    name: `${method} ${route}`,
    kind: KIND_SERVER,
    startTimeUnixNano: String(started),
    endTimeUnixNano: String(nanoseconds()),
    attributes: [
      text('http.request.method', method),
      text('http.route', route),
      { key: 'http.response.status_code', value: { intValue: String(status) } },
      text('holdfast.request_id', requestId),
    ],
    ...(status < 500 ? {} : { status: { code: STATUS_ERROR } }),
  };
}

function text(key: string, value: string): object {
  return { key, value: { stringValue: value } };
}

function nanoseconds(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));
}
