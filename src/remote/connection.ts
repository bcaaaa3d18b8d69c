import type { Clock } from '../base/clock.ts';
import { AuthorisedCalls } from './client/authorised-calls.ts';
import { deviceTokenSource } from './sign-in/device-token-source.ts';
import type { DeviceCredentials } from './sign-in/device-token-source.ts';
import type { HttpClient } from './http/http-client.ts';
import type { TokenSource } from './client/authorised-calls.ts';
import type { BlobDownloader, BlobUploader, ServiceClient } from './ports.ts';
import { PackingDownloader } from './blobs/packing-downloader.ts';
import { PackingUploader } from './blobs/packing-uploader.ts';
import { PresignedDownloader } from './blobs/presigned-downloader.ts';
import { PresignedUploader } from './blobs/presigned-uploader.ts';
import { Retrier } from './http/retrier.ts';
import type { RetryPolicy, WaitingReason } from './http/retrier.ts';
import { ServiceCalls } from './client/service-calls.ts';
import { HttpServiceClient } from './client/service-client.ts';
import { ServiceClock } from './client/service-clock.ts';
import { userTokenSource } from './sign-in/user-token-source.ts';
import type { SessionStore } from './sign-in/user-token-source.ts';

export interface ConnectionOptions {
  readonly baseUrl: string;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  /** Called when calls begin to wait for the service, and with `undefined` when none waits any more. */
  readonly onWaiting?: (reason: WaitingReason | undefined) => void;
  /** Called when the service's clock is more than 30 s ahead (positive) or behind, and with 0 when it agrees again. */
  readonly onSkew?: (skewMs: number) => void;
  /** User-Agent header. */
  readonly userAgent?: string;
  /** Randomises pauses; from 0 to less than 1. */
  readonly random?: () => number;
}

/** Access to a service before sign-in. */
export interface Connection {
  readonly calls: ServiceCalls;
  readonly retrier: Retrier;
  readonly options: ConnectionOptions;
}

/** Access to a service and its blobs for backup and restore. */
export interface SignedInConnection {
  readonly calls: AuthorisedCalls;
  readonly service: ServiceClient;
  readonly uploader: BlobUploader;
  readonly downloader: BlobDownloader;
}

/** Prepares a connection without sending anything. @throws HoldfastError `usage` for an invalid base address */
export function connect(options: ConnectionOptions): Connection {
  const { baseUrl, http, clock, policy } = options;
  const { onWaiting, onSkew, random, userAgent } = options;
  const retrier = new Retrier({ clock, policy, ...(onWaiting && { onWaiting }), ...(random && { random }) });
  const calls = new ServiceCalls({
    baseUrl,
    http,
    retrier,
    clock: new ServiceClock(clock, onSkew),
    ...(userAgent === undefined ? {} : { userAgent }),
  });
  return { calls, retrier, options };
}

/** Signs in as a registered device when the first call is made. */
export function connectAsDevice(connection: Connection, credentials: DeviceCredentials): SignedInConnection {
  return connectWithTokens(connection, deviceTokenSource(connection.calls, credentials, connection.options.clock));
}

/** Uses the session of a person's earlier sign-in. */
export async function connectAsUser(connection: Connection, store: SessionStore): Promise<SignedInConnection> {
  return connectWithTokens(connection, await userTokenSource(connection.calls, store, connection.options.clock));
}

/** Uses access tokens of any kind. */
export function connectWithTokens(connection: Connection, tokens: TokenSource): SignedInConnection {
  const { http, clock } = connection.options;
  const calls = new AuthorisedCalls(connection.calls, tokens);
  const service = new HttpServiceClient(calls);
  const parts = { calls, storage: http, retrier: connection.retrier, clock };
  return {
    calls,
    service,
    uploader: new PackingUploader({ ...parts, service }, new PresignedUploader({ ...parts, service })),
    downloader: new PackingDownloader({ ...parts, service }, new PresignedDownloader({ ...parts, service })),
  };
}
