import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of the request that is being answered. */
export interface RequestScope {
  /** The client's own `X-Request-Id`, or one of ours. */
  readonly id: string;
  /** Of the client, behind proxies that are trusted; nothing where there is no socket. */
  readonly address: string | undefined;
  /** The pattern of its path, as soon as a route was found. It has no values in it, so it may be logged and counted. */
  route: string | undefined;
  /** Whose request it is, as soon as its token was checked. */
  accountId: string | undefined;
  /** A route was found. Throws `ServiceProblem` `too_many_requests`. */
  readonly enter: (route: string) => void;
  /** The caller is known. Throws `ServiceProblem` `too_many_requests`. */
  readonly identify: (accountId: string) => void;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Runs `work` so that everything below it finds its request. */
export function inRequestScope<Result>(scope: RequestScope, work: () => Result): Result {
  return scopes.run(scope, work);
}

/** The request that is being answered; nothing in an embedded service and in work of the service's own. */
export function currentRequest(): RequestScope | undefined {
  return scopes.getStore();
}
