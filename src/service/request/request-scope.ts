import { AsyncLocalStorage } from 'node:async_hooks';

/** Facts about the current request. */
export interface RequestScope {
  /** The client's `X-Request-Id`, or a generated one. */
  readonly id: string;
  /** The client's address behind trusted proxies; `undefined` without a socket. */
  readonly address: string | undefined;
  /** The route pattern, once a route is found. It contains no values, so it may be logged and counted. */
  route: string | undefined;
  /** The account, once the token is verified. */
  accountId: string | undefined;
  /** Called when a route is found. Throws `ServiceProblem` `too_many_requests`. */
  readonly enter: (route: string) => void;
  /** Called when the caller is known. Throws `ServiceProblem` `too_many_requests`. */
  readonly identify: (accountId: string) => void;
  /** Closes the connection, without an answer or in the middle of one; `undefined` without a socket. */
  readonly cut?: () => void;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Runs `work` with its request as context. */
export function inRequestScope<Result>(scope: RequestScope, work: () => Result): Result {
  return scopes.run(scope, work);
}

/** Returns the current request; `undefined` in housekeeping. */
export function currentRequest(): RequestScope | undefined {
  return scopes.getStore();
}
