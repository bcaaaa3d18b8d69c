import type { HttpBindings } from '@hono/node-server';
import type { Logger } from 'pino';
import { jsonResponse, problemAnswer } from '../request/answer.ts';
import { ServiceProblem } from '../request/problem.ts';
import { dropBody, UPLOAD_CHECK_PATH } from './upload-check.ts';
import type { RequestTraces } from './request-traces.ts';
import type { LatestFigures } from './latest-figures.ts';
import { clientAddress, isLoopback, limitedNetwork } from '../request/client-address.ts';
import type { AddressRange } from '../request/client-address.ts';
import { METRICS_MEDIA_TYPE } from './metrics.ts';
import { isScraper } from './metrics-access.ts';
import { RateLimit } from './rate-limit.ts';
import type { RateLimits } from './rate-limit.ts';
import type { ReadinessCheck } from './readiness.ts';
import { REQUEST_ID_HEADER, requestId } from '../request/request-id.ts';
import { inRequestScope } from '../request/request-scope.ts';
import type { RequestScope } from '../request/request-scope.ts';
import type { ServiceMetrics } from './service-metrics.ts';

export interface OperationOptions {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly limits: RateLimits;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly AddressRange[];
  /** Token for metrics. Without one, only this computer may read them. */
  readonly metricsToken?: string;
  /** Traces of requests, if they are sent anywhere. */
  readonly traces?: RequestTraces;
  readonly readiness: ReadinessCheck;
  readonly metrics: ServiceMetrics;
  readonly figures: () => Promise<LatestFigures | undefined>;
  readonly freeBytes: () => Promise<number | undefined>;
  readonly now: () => number;
  readonly log: Logger;
}

const HEALTH_PATH = '/healthz';
const READINESS_PATH = '/readyz';
const METRICS_PATH = '/metrics';

/** Routes with credentials, or without an account. */
const SIGN_IN_ROUTES =
  /^\/(auth\/v1\/(token|signup|recover|password_reset|user|authorize|callback|invitations\/accept|factors\/:factor_id\/verify)|functions\/v1\/(auth|billing)\/|portal\/v1\/(sign-in|set-up|verify|passkey-options|enrol|join|recover|reset|provider))/;

/** Paths of presigned URLs. */
const PRESIGNED = /^\/objects\/v1\/[\w/-]+(\?|$)/;

/**
 * A service on a socket: every request gets an id, is counted, limited and logged, and there are the three
 * endpoints for load balancers and monitors. The log contains only a request's method, route
 * pattern, and result.
 */
export class OperatedService {
  readonly #options: OperationOptions;
  readonly #perAddress: RateLimit;
  readonly #signIns: RateLimit;
  readonly #perAccount: RateLimit;
  #closing = false;
  /** Requests under way, without those of monitors. */
  #running = 0;
  #finished = Promise.withResolvers<void>();

  constructor(options: OperationOptions) {
    this.#options = options;
    const { limits, now } = options;
    this.#perAddress = new RateLimit(limits.perAddress, now);
    this.#signIns = new RateLimit(limits.signInsPerAddress, now);
    this.#perAccount = new RateLimit(limits.perAccount, now);
  }

  /**
   * From now on `/readyz` and new requests are answered with 503, and connections close after their next response. Resolves when the
   * requests under way have ended.
   */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#running > 0) await this.#finished.promise;
  }

  async fetch(request: Request, { incoming, outgoing }: HttpBindings): Promise<Response> {
    const { headers } = incoming;
    const forwardedFor = request.headers.get('x-forwarded-for');
    const peer = incoming.socket.remoteAddress;
    const address = clientAddress(peer, forwardedFor, this.#options.trustedProxies);
    const id = requestId(single(headers[REQUEST_ID_HEADER]));
    const scope = this.#scopeOf(id, address, () => outgoing.destroy());
    outgoing.setHeader(REQUEST_ID_HEADER, scope.id);
    if (this.#closing) outgoing.setHeader('connection', 'close');
    this.#follow(scope, incoming, outgoing);
    return inRequestScope(scope, () => this.#answer(request, scope, { incoming, outgoing }));
  }

  async #answer(request: Request, scope: RequestScope, { incoming, outgoing }: HttpBindings): Promise<Response> {
    const target = incoming.url ?? '/';
    const [path] = target.split('?', 1);
    try {
      requireNoBody(incoming);
      if (path === HEALTH_PATH || path === READINESS_PATH || path === METRICS_PATH) {
        scope.enter(path);
        if (path === UPLOAD_CHECK_PATH && request.method === 'PUT') return await this.#uploadAnswer(request, scope);
        return await this.#operatorsAnswer(path, request, incoming);
      }
      if (this.#closing) throw new ServiceProblem('unavailable', { detail: 'the service is closing', retryAfter: 1 });
      this.#count(outgoing);
      if (!PRESIGNED.test(target)) this.#admit(this.#perAddress, scope.address, 'address');
    } catch (error) {
      if (error instanceof ServiceProblem) return problemAnswer(error);
      throw error;
    }
    return this.#options.fetch(request);
  }

  #count(outgoing: HttpBindings['outgoing']): void {
    this.#running += 1;
    outgoing.once('close', () => {
      this.#running -= 1;
      if (this.#running === 0 && this.#closing) this.#finished.resolve();
    });
  }

  async #uploadAnswer(request: Request, { address }: RequestScope): Promise<Response> {
    this.#admit(this.#perAddress, address, 'address');
    const bytes = await dropBody(request);
    return jsonResponse({ status: 'ok', bytes, forwarded: request.headers.has('x-forwarded-for') });
  }

  async #operatorsAnswer(path: string, request: Request, incoming: HttpBindings['incoming']): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new ServiceProblem('method_not_allowed', { detail: 'allowed: GET' });
    }
    if (path === HEALTH_PATH) return jsonResponse({ status: 'ok' });
    if (path === METRICS_PATH) return this.#metricsAnswer(incoming);
    const { ready, parts } = await this.#options.readiness.ask();
    const isReady = ready && !this.#closing;
    const body = { status: this.#closing ? 'closing' : isReady ? 'ready' : 'not ready', parts };
    return isReady ? jsonResponse(body) : new Response(JSON.stringify(body), { status: 503, headers: NOT_READY });
  }

  async #metricsAnswer({ headers, socket }: HttpBindings['incoming']): Promise<Response> {
    const { metricsToken: token, metrics, readiness, figures, freeBytes, now } = this.#options;
    const isDirect = !FORWARDED.some((name) => name in headers);
    const asked = { authorization: headers.authorization, host: headers.host, isDirect };
    if (!isScraper({ ...asked, isLocal: isLoopback(socket.remoteAddress) }, token)) {
      if (token === undefined) throw new ServiceProblem('not_found', { detail: 'no such endpoint' });
      throw new ServiceProblem(asked.authorization === undefined ? 'token_missing' : 'token_invalid');
    }
    const [state, counted, free] = await Promise.all([readiness.ask(), figures(), freeBytes()]);
    const text = metrics.text(now(), state, counted, free);
    return new Response(text, { headers: { 'content-type': METRICS_MEDIA_TYPE, 'cache-control': 'no-store' } });
  }

  #scopeOf(id: string, address: string | undefined, cut: () => void): RequestScope {
    const scope: RequestScope = {
      id,
      address,
      route: undefined,
      accountId: undefined,
      enter: (route) => {
        scope.route = route;
        if (SIGN_IN_ROUTES.test(route)) this.#admit(this.#signIns, address, 'sign-in');
      },
      identify: (accountId) => {
        // Portal requests pass here twice: with the cookie, and with the token that replaces it.
        if (scope.accountId === accountId) return;
        scope.accountId = accountId;
        this.#admitSubject(this.#perAccount, accountId, 'account');
      },
      cut,
    };
    return scope;
  }

  #admit(limit: RateLimit, address: string | undefined, by: 'address' | 'sign-in'): void {
    if (address !== undefined) this.#admitSubject(limit, limitedNetwork(address), by);
  }

  #admitSubject(limit: RateLimit, subject: string, by: 'address' | 'sign-in' | 'account'): void {
    const retryAfter = limit.take(subject);
    if (retryAfter === undefined) return;
    this.#options.metrics.limited(by);
    throw new ServiceProblem('too_many_requests', { detail: `too many requests of this ${by}`, retryAfter });
  }

  /** Counts and logs a request when its response has been sent or its connection has closed. */
  #follow(
    scope: RequestScope,
    { method = '', headers: incomingHeaders }: HttpBindings['incoming'],
    outgoing: HttpBindings['outgoing'],
  ): void {
    const { metrics, log, traces } = this.#options;
    const endTrace = traces?.begin(single(incomingHeaders['traceparent']) ?? undefined);
    const started = performance.now();
    metrics.began();
    outgoing.once('close', () => {
      const milliseconds = Math.round((performance.now() - started) * 10) / 10;
      const route = scope.route ?? 'none';
      const status = outgoing.statusCode;
      metrics.ended({ method, route, status, seconds: milliseconds / 1000 });
      endTrace?.({ method, route, status, requestId: scope.id });
      const level = levelOf(route, status);
      if (!log.isLevelEnabled(level)) return;
      log[level](
        {
          request_id: scope.id,
          method,
          route,
          status,
          milliseconds,
          ...(scope.accountId === undefined ? {} : { account: scope.accountId }),
          // Operators need the address to block guessing clients.
          ...(REFUSALS.has(status) ? { address: scope.address } : {}),
          ...(outgoing.writableFinished ? {} : { cut_off: true }),
        },
        'request',
      );
    });
  }
}

/** A GET with a body is rejected before a byte of it is read. @throws ServiceProblem `too_large` */
function requireNoBody({ method, headers }: HttpBindings['incoming']): void {
  if (method !== 'GET' && method !== 'HEAD') return;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
  throw new ServiceProblem('too_large', { detail: `a ${method} has no body` });
}

const NOT_READY = { 'content-type': 'application/json', 'cache-control': 'no-store', 'retry-after': '5' };

/** Headers that proxies add. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

const REFUSALS = new Set([401, 403, 429]);

/** Frequent successful requests are logged only at the debug level. */
function levelOf(route: string, status: number): 'error' | 'info' | 'debug' {
  if (status >= 500 && status !== 503) return 'error';
  if (status >= 400) return 'info';
  const isFrequent = route === HEALTH_PATH || route === READINESS_PATH || route === METRICS_PATH;
  return isFrequent || route.startsWith('/objects/') ? 'debug' : 'info';
}

function single(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' ? header : null;
}
