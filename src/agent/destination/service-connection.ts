import type { Clock } from '../../base/clock.ts';
import type { Connection } from '../../remote/connection.ts';
import type { TransferLimits } from '../../remote/http/rate-limited-http.ts';
import type { HttpClient } from '../../remote/http/http-client.ts';
import { INTERACTIVE_RETRY_POLICY, type RetryPolicy, type WaitingReason } from '../../remote/http/retrier.ts';
import { USER_AGENT } from './this-device.ts';

export interface ConnectionOptions {
  readonly clock: Clock;
  /** Read for proxies and time limits. */
  readonly environment: NodeJS.ProcessEnv;
  /** The longest wait for an unreachable service. */
  readonly policy: RetryPolicy;
  readonly onWaiting?: (reason: WaitingReason | undefined) => void;
  readonly onSkew?: (skewMs: number) => void;
  readonly limits?: TransferLimits;
}

/** Prepares a connection to a remote service before anybody signs in. The caller closes its `http`. */
export async function connectTo(
  url: string,
  options: ConnectionOptions,
): Promise<{ http: HttpClient; connection: Connection }> {
  const [{ UndiciHttp }, { connect }] = await Promise.all([
    import('../../remote/http/undici-http.ts'),
    import('../../remote/connection.ts'),
  ]);
  const { clock, environment, limits, policy, onWaiting, onSkew } = options;
  const waiting = new WaitingReasons(onWaiting);
  const plain = new UndiciHttp(environment, (still) => waiting.update('still', still ? 'service_silent' : undefined));
  const http = await limitedTo(limits, plain, clock);
  const callbacks = {
    onWaiting: (reason: WaitingReason | undefined) => waiting.update('retry', reason),
    ...(onSkew ? { onSkew } : {}),
  };
  return { http, connection: connect({ baseUrl: url, http, clock, policy, userAgent: USER_AGENT, ...callbacks }) };
}

/** Connects to a service for the duration of `work`. @throws what `work` throws; HoldfastError `usage` */
export async function withConnection<Result>(
  url: string,
  { clock, environment, onSkew }: Pick<ConnectionOptions, 'clock' | 'environment' | 'onSkew'>,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const options = { clock, environment, policy: INTERACTIVE_RETRY_POLICY, ...(onSkew ? { onSkew } : {}) };
  const { http, connection } = await connectTo(url, options);
  try {
    return await work(connection);
  } finally {
    await http.close();
  }
}

/** Reports one of two reasons to wait. A retry that is due later takes precedence over a connection that is silent. */
class WaitingReasons {
  readonly #onWaiting: ConnectionOptions['onWaiting'];
  readonly #reasons: { retry?: WaitingReason | undefined; still?: WaitingReason | undefined } = {};

  constructor(onWaiting: ConnectionOptions['onWaiting']) {
    this.#onWaiting = onWaiting;
  }

  update(source: 'retry' | 'still', reason: WaitingReason | undefined): void {
    this.#reasons[source] = reason;
    this.#onWaiting?.(this.#reasons.retry ?? this.#reasons.still);
  }
}

async function limitedTo(limits: TransferLimits | undefined, http: HttpClient, clock: Clock): Promise<HttpClient> {
  if (!isLimited(limits)) return http;
  const { RateLimitedHttp, rateOf } = await import('../../remote/http/rate-limited-http.ts');
  return new RateLimitedHttp(
    http,
    { upload: rateOf(limits.limitUpload), download: rateOf(limits.limitDownload) },
    clock,
  );
}

export function isLimited(limits: TransferLimits | undefined): limits is TransferLimits {
  return limits?.limitUpload !== undefined || limits?.limitDownload !== undefined;
}
