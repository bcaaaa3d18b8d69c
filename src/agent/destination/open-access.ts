import { HoldfastError, wrongUsage } from '../../base/errors/errors.ts';
import { connectAsDevice, connectAsUser } from '../../remote/connection.ts';
import { requestRetention } from '../../remote/client/retention-calls.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../remote/http/retrier.ts';
import type { StorageParts } from '../../storage/retries.ts';
import type { Home } from '../home/home.ts';
import { locationOf } from '../home/destination-location.ts';
import { adoptKeys } from './keys/adopt-keys.ts';
import { saveAdopted } from './keys/save-adopted.ts';
import type { Settings } from '../home/settings.ts';
import type { Destination } from '../../model/destination.ts';
import type { KeyStore, Secrets } from '../key-store/key-store.ts';
import { damagedSecrets } from '../key-store/require-secrets.ts';
import { KeyStoreSession } from '../key-store/stored-session.ts';
import type { StorageDestination } from './store/open-destination-storage.ts';
import type { ServiceAccess } from './service-access.ts';
import { connectTo, isLimited, type ConnectionOptions } from './service-connection.ts';

export interface AccessOptions extends ConnectionOptions {
  readonly home: Home;
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly keyStore: KeyStore;
  /** For how long a store may be away, if somebody has said so. */
  readonly storeMaxWaitMs?: number | undefined;
  readonly onStoreWaiting?: StorageParts['onWaiting'];
}

/**
 * Opens the destination of a home. Sends nothing yet.
 *
 * @throws HoldfastError `usage` for transfer limits without a network in between; `home_damaged`; `destination_*`
 */
export async function openAccess(options: AccessOptions): Promise<ServiceAccess> {
  const { destination } = options.settings;
  if (destination.kind !== 'service' && isLimited(options.limits)) {
    throw wrongUsage({ problem: 'limit-without-service', directory: locationOf(destination) });
  }
  return destination.kind === 'service' ? openService(destination, options) : openStorageAccess(destination, options);
}

async function openStorageAccess(
  destination: StorageDestination,
  { home, settings, secrets, keyStore, clock, policy, storeMaxWaitMs, onStoreWaiting }: AccessOptions,
): Promise<ServiceAccess> {
  const { deviceKey } = secrets;
  if (deviceKey === undefined) throw damagedSecrets(keyStore, 'no-device-key');
  const [{ openDestinationStorage, missingSecret }, { openRepositoryAccess }] = await Promise.all([
    import('./store/open-destination-storage.ts'),
    import('./store/repository-access.ts'),
  ]);
  const missing = missingSecret(destination, secrets);
  if (missing !== undefined) throw damagedSecrets(keyStore, missing);
  // A store has a policy of its own for runs. A person who waits for a list is told sooner that it is away.
  const sooner = policy === INTERACTIVE_RETRY_POLICY ? { policy } : {};
  const waiting = { maxWaitMs: storeMaxWaitMs, onWaiting: onStoreWaiting };
  const storage = await openDestinationStorage(destination, secrets, { clock, ...waiting, ...sooner });
  const { deviceId, deviceName } = settings;
  const onAdopted = (adopted: Secrets): Promise<void> => saveAdopted(adopted, secrets, { home, keyStore });
  const opened = { home, storage, secrets, onAdopted, writerKey: deviceKey, deviceId, deviceName, clock };
  return await openRepositoryAccess(opened);
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
    secrets,
    // What this home knows. A run reads what the service has.
    settled: adoptKeys(secrets, []).settled,
    retention: async (request, signal) => {
      if ((await service.capabilities(signal)).has('retention')) return await requestRetention(calls, request, signal);
      throw new HoldfastError('service_error', { address: url, status: 404 });
    },
    explain: (error) => error,
    [Symbol.asyncDispose]: () => http.close(),
  };
}
