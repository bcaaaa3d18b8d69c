import type { Hono } from 'hono';
import type { AccessTokens } from '../auth/tokens/access-tokens.ts';
import { authenticate } from '../auth/authenticate.ts';
import type { ProviderSignIn } from '../auth/providers/provider-sign-in.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { currentRequest } from '../request/request-scope.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { RestoreChunkMemory } from '../restore/restore-chunks.ts';

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

/** Runs a handler only with a valid access token. */
export function withCaller({ service, tokens }: RouteContext, handler: CallerHandler): Handler {
  return async (exchange) => {
    const caller = await authenticate(service, tokens, exchange.request.headers.get('authorization'));
    currentRequest()?.identify(caller.accountId);
    return handler(exchange, caller);
  };
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
