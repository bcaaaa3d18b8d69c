import type { Clock } from '../../base/clock.ts';
import { HoldfastError } from '../../base/errors.ts';
import type { Connection, SignedInConnection } from '../../engine/transfer/connection.ts';
import type { TransferLimits } from '../../engine/transfer/http/rate-limited-http.ts';
import type { HttpClient } from '../../engine/transfer/http/http-client.ts';
import type { BlobDownloader, BlobUploader, ServiceClient } from '../../engine/transfer/ports.ts';
import type { RetryPolicy, WaitingReason } from '../../engine/transfer/http/retrier.ts';
import type { RetentionAnswer, RetentionRequest } from '../../protocol/retention.ts';
import { requestRetention } from '../../engine/transfer/client/retention-calls.ts';
import { wrongUsage } from '../../base/failure.ts';
import type { Home } from '../home/home.ts';
import type { Settings } from '../home/settings.ts';
import type { KeyStore, Secrets } from '../key-store/key-store.ts';
import { KeyStoreSession } from '../key-store/stored-session.ts';
import { USER_AGENT } from './this-device.ts';

/** A service that this home may use, with its blobs. */
export interface ServiceAccess extends AsyncDisposable {
  readonly service: ServiceClient;
  readonly uploader: BlobUploader;
  readonly downloader: BlobDownloader;
  /** Asks about restore points, or changes what becomes of them. */
  retention(request: RetentionRequest, signal?: AbortSignal): Promise<RetentionAnswer>;
  /** An error of the service, in words that fit where it is. */
  explain(error: unknown): unknown;
}

export interface AccessOptions {
  readonly home: Home;
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
  /** How long a service that cannot be reached is waited for; the embedded one is there or it is not. */
  readonly policy: RetryPolicy;
  readonly onWaiting?: (reason: WaitingReason | undefined) => void;
  readonly onSkew?: (skewMs: number) => void;
  readonly limits?: TransferLimits;
}

/**
 * Reaches the destination of a home. Nothing is sent yet.
 *
 * @throws HoldfastError `usage` for limits where there is no network in between; `home_damaged`; `destination_*`
 */
export async function openAccess(
  settings: Settings,
  secrets: Secrets,
  keyStore: KeyStore,
  options: AccessOptions,
): Promise<ServiceAccess> {
  const { destination, deviceId } = settings;
  if (destination.kind === 'embedded') {
    if (isLimited(options.limits)) throw wrongUsage('limit-without-service', { directory: destination.directory });
    const { openEmbedded, embeddedAsDevice } = await import('./embedded-access.ts');
    const embedded = await openEmbedded(destination.directory);
    const access = embeddedAsDevice(embedded, destination.directory, deviceId, options.clock);
    return { ...access, [Symbol.asyncDispose]: () => embedded.close() };
  }
  if (destination.kind === 'bucket') return openBucket(destination, deviceId, secrets, keyStore, options);
  const { http, connection } = await connectTo(destination.url, options);
  const { connectAsDevice, connectAsUser } = await import('../../engine/transfer/connection.ts');
  const signedIn =
    destination.signIn.kind === 'device'
      ? connectAsDevice(connection, { deviceId, deviceKey: deviceKeyOf(secrets, keyStore) })
      : await connectAsUser(connection, new KeyStoreSession(keyStore));
  return remoteAccess(signedIn, http);
}

/** The embedded service with a bucket: its metadata are in the home. */
async function openBucket(
  place: Extract<Settings['destination'], { kind: 'bucket' }>,
  deviceId: string,
  { bucket: credentials, masterKey }: Secrets,
  keyStore: KeyStore,
  { clock, home, limits }: AccessOptions,
): Promise<ServiceAccess> {
  if (isLimited(limits)) throw wrongUsage('limit-without-service', { directory: place.address, bucket: true });
  if (!credentials) throw damaged(keyStore, 'no-bucket-keys');
  const [{ openEmbedded, embeddedAsDevice }, { bucketConfigOf, bucketFolder, homeBucketOf }] = await Promise.all([
    import('./embedded-access.ts'),
    import('./bucket-destination.ts'),
  ]);
  const bucket = homeBucketOf(bucketConfigOf(place, credentials), masterKey);
  const embedded = await openEmbedded(bucketFolder(home, place.folder), { bucket });
  const access = embeddedAsDevice(embedded, place.address, deviceId, clock);
  return { ...access, [Symbol.asyncDispose]: () => embedded.close() };
}

/** The secrets of a home that was set up. @throws HoldfastError `home_damaged` where they are gone or another's */
export async function secretsOf(keyStore: KeyStore, settings: Settings): Promise<Secrets> {
  const { deriveKeys } = await import('../../engine/crypto/keys.ts');
  const secrets = await keyStore.load();
  if (!secrets) throw damaged(keyStore, 'missing');
  if (deriveKeys(secrets.masterKey).id !== settings.keyId) {
    throw damaged(keyStore, 'other-key');
  }
  return secrets;
}

/** A way to a service somewhere, before anybody signs in. Its `http` has to be closed. */
export async function connectTo(
  url: string,
  options: Omit<AccessOptions, 'home'>,
): Promise<{ http: HttpClient; connection: Connection }> {
  const [{ UndiciHttp }, { connect }] = await Promise.all([
    import('../../engine/transfer/http/undici-http.ts'),
    import('../../engine/transfer/connection.ts'),
  ]);
  const { clock, environment, limits, policy, onWaiting, onSkew } = options;
  const waiting = new Waiting(onWaiting);
  const plain = new UndiciHttp(environment, (still) => waiting.update('still', still ? 'service_silent' : undefined));
  const http = await limitedTo(limits, plain, clock);
  const callbacks = {
    onWaiting: (reason: WaitingReason | undefined) => waiting.update('retry', reason),
    ...(onSkew ? { onSkew } : {}),
  };
  return { http, connection: connect({ baseUrl: url, http, clock, policy, userAgent: USER_AGENT, ...callbacks }) };
}

/** Tells one of two reasons to wait: that calls are tried again later says more than that nothing moves. */
class Waiting {
  readonly #onWaiting: AccessOptions['onWaiting'];
  readonly #reasons: { retry?: WaitingReason | undefined; still?: WaitingReason | undefined } = {};

  constructor(onWaiting: AccessOptions['onWaiting']) {
    this.#onWaiting = onWaiting;
  }

  update(source: 'retry' | 'still', reason: WaitingReason | undefined): void {
    this.#reasons[source] = reason;
    this.#onWaiting?.(this.#reasons.retry ?? this.#reasons.still);
  }
}

async function limitedTo(limits: TransferLimits | undefined, http: HttpClient, clock: Clock): Promise<HttpClient> {
  if (!isLimited(limits)) return http;
  const { RateLimitedHttp, rateOf } = await import('../../engine/transfer/http/rate-limited-http.ts');
  return new RateLimitedHttp(
    http,
    { upload: rateOf(limits.limitUpload), download: rateOf(limits.limitDownload) },
    clock,
  );
}

function isLimited(limits: TransferLimits | undefined): limits is TransferLimits {
  return limits?.limitUpload !== undefined || limits?.limitDownload !== undefined;
}

/** Access to a service somewhere, closing its connections at the end. */
export function remoteAccess(signedIn: SignedInConnection, http: HttpClient): ServiceAccess {
  const { calls, service, uploader, downloader } = signedIn;
  return {
    service,
    uploader,
    downloader,
    retention: (request, signal) => requestRetention(calls, request, signal),
    explain: (error) => error,
    [Symbol.asyncDispose]: () => http.close(),
  };
}

function deviceKeyOf({ deviceKey }: Secrets, keyStore: KeyStore): string {
  if (deviceKey === undefined) throw damaged(keyStore, 'no-device-key');
  return deviceKey;
}

function damaged({ place }: KeyStore, problem: string): HoldfastError {
  return new HoldfastError('home_damaged', { file: place, problem });
}
