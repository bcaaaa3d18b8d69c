import type { Hono } from 'hono';
import type { AccessTokens } from '../auth/tokens/access-tokens.ts';
import { authenticate } from '../auth/authenticate.ts';
import type { ProviderSignIn } from '../auth/providers/provider-sign-in.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { currentRequest } from '../request/request-scope.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { RestoreChunkMemory } from '../restore/restore-chunks.ts';
import { bodyBytes, receiveBody } from './body.ts';

/** A request inside the service. */
export interface Exchange {
  readonly request: Request;
  readonly url: URL;
  /** Named parts of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Public address of this service, for presigned URLs. */
  readonly baseUrl: string;
}

export type Handler = (exchange: Exchange) => Promise<Response>;
export type CallerHandler = (exchange: Exchange, caller: Caller) => Promise<Response>;
type StreamHandler = (exchange: Exchange, caller: Caller, body: AsyncIterable<Uint8Array>) => Promise<Response>;

/** Milliseconds after which the store has to confirm a caller again before the request acts. */
const CONFIRMED_FOR = 1_000;

/** A path with its methods; others get 405. */
export interface Route {
  readonly path: string;
  readonly methods: Readonly<Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Handler>>>;
}

/** Dependencies of handlers. */
export interface RouteContext {
  readonly service: ServiceContext;
  readonly tokens: AccessTokens;
  readonly providers: ProviderSignIn;
  readonly restores: RestoreChunkMemory;
}

/**
 * Runs a handler only with an access token that is valid before its body arrives and afterwards: a client may send the body
 * long after the head, when the caller has lost every right.
 */
export function withCaller(context: RouteContext, handler: CallerHandler): Handler {
  return async (exchange) => {
    const { caller, again } = await identified(context, exchange);
    if (!exchange.request.body) return handler(exchange, caller);
    await receiveBody(exchange.request);
    return handler(exchange, await again());
  };
}

/** Runs a handler of a body that streams. The body throws at its end if the caller is no longer valid. */
export function withStreamingCaller(context: RouteContext, handler: StreamHandler): Handler {
  return async (exchange) => {
    const { caller, again } = await identified(context, exchange);
    async function* body(): AsyncGenerator<Uint8Array> {
      yield* bodyBytes(exchange.request);
      await again();
    }
    return handler(exchange, caller, body());
  };
}

async function identified({ service, tokens }: RouteContext, { request }: Exchange) {
  const header = request.headers.get('authorization');
  const caller = await authenticate(service, tokens, header);
  currentRequest()?.identify(caller.accountId);
  const since = service.clock.now();
  const again = (): Promise<Caller> =>
    authenticate(service, tokens, header, Math.abs(service.clock.now() - since) > CONFIRMED_FOR);
  return { caller, again };
}

export function addRoutes(app: Hono, routes: readonly Route[], publicUrl: string | undefined): void {
  for (const { path, methods } of routes) {
    for (const [method, handler] of Object.entries(methods)) {
      app.on(method, path, (call) => {
        currentRequest()?.enter(path);
        const url = new URL(call.req.url);
        return handler({ request: call.req.raw, url, parameters: call.req.param(), baseUrl: publicUrl ?? url.origin });
      });
    }
    app.all(path, () => {
      const detail = `allowed: ${Object.keys(methods).join(', ')}`;
      throw new ServiceProblem('method_not_allowed', { detail });
    });
  }
}
