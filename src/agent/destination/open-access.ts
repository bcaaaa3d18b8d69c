import { wrongUsage } from '../../base/errors.ts';
import { connectAsDevice, connectAsUser } from '../../engine/transfer/connection.ts';
import { requestRetention } from '../../engine/transfer/client/retention-calls.ts';
import type { Home } from '../home/home.ts';
import { locationOf } from '../home/destination-location.ts';
import type { Destination, Settings } from '../home/settings.ts';
import type { KeyStore, Secrets } from '../key-store/key-store.ts';
import { damagedSecrets } from '../key-store/require-secrets.ts';
import { KeyStoreSession } from '../key-store/stored-session.ts';
import type { HomeBucket } from '../../service/embedded/home-bucket.ts';
import type { ServiceAccess } from './service-access.ts';
import { connectTo, isLimited, type ConnectionOptions } from './service-connection.ts';

export interface AccessOptions extends ConnectionOptions {
  readonly home: Home;
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly keyStore: KeyStore;
}

/**
 * Opens the destination of a home. Sends nothing yet.
 *
 * @throws HoldfastError `usage` for transfer limits without a network in between; `home_damaged`; `destination_*`
 */
export async function openAccess(options: AccessOptions): Promise<ServiceAccess> {
  const { destination } = options.settings;
  if (destination.kind !== 'service' && isLimited(options.limits)) {
    const isBucket = destination.kind === 'bucket';
    throw wrongUsage({
      problem: 'limit-without-service',
      directory: locationOf(destination),
      ...(isBucket && { bucket: true }),
    });
  }
  switch (destination.kind) {
    case 'embedded':
      return openStore(destination.directory, destination.directory, options);
    case 'bucket':
      return openBucket(destination, options);
    case 'service':
      return openService(destination, options);
  }
}

/** Opens the embedded service with a bucket. Its metadata are in the home. */
async function openBucket(
  destination: Extract<Destination, { kind: 'bucket' }>,
  options: AccessOptions,
): Promise<ServiceAccess> {
  const { home, keyStore, secrets } = options;
  if (!secrets.bucket) throw damagedSecrets(keyStore, 'no-bucket-keys');
  const { bucketConfigOf, bucketFolder, homeBucketOf } = await import('./bucket-destination.ts');
  const bucket = homeBucketOf(bucketConfigOf(destination, secrets.bucket), secrets.masterKey);
  return openStore(bucketFolder(home, destination.folder), destination.address, options, bucket);
}

/** @param place the folder, or the address of the bucket */
async function openStore(
  directory: string,
  place: string,
  { clock, settings }: AccessOptions,
  bucket?: HomeBucket,
): Promise<ServiceAccess> {
  const { openEmbedded, embeddedAsDevice } = await import('./embedded-access.ts');
  const embedded = await openEmbedded(directory, bucket && { bucket });
  const access = embeddedAsDevice(embedded, { place, deviceId: settings.deviceId, clock });
  return { ...access, [Symbol.asyncDispose]: () => embedded.close() };
}

/** Opens a remote service. Its connections are closed at the end. */
async function openService(
  { url, signIn }: Extract<Destination, { kind: 'service' }>,
  options: AccessOptions,
): Promise<ServiceAccess> {
  const { settings, secrets, keyStore } = options;
  const { deviceKey } = secrets;
  const { http, connection } = await connectTo(url, options);
  if (signIn.kind === 'device' && deviceKey === undefined) throw damagedSecrets(keyStore, 'no-device-key');
  const { calls, service, uploader, downloader } =
    signIn.kind === 'device'
      ? connectAsDevice(connection, { deviceId: settings.deviceId, deviceKey: deviceKey! })
      : await connectAsUser(connection, new KeyStoreSession(keyStore));
  return {
    service,
    uploader,
    downloader,
    retention: (request, signal) => requestRetention(calls, request, signal),
    explain: (error) => error,
    [Symbol.asyncDispose]: () => http.close(),
  };
}
