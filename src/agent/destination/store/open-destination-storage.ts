import { HoldfastError } from '../../../base/errors/errors.ts';
import {
  openStorage,
  type OpenStorageOptions,
  type StorageCredentials,
  type StorageLocation,
} from '../../../storage/open-storage.ts';
import { SSH_PORT } from '../../../storage/sftp/sftp-config.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { Destination } from '../../../model/destination.ts';
import type { StoreSecrets } from '../../key-store/key-store.ts';
import { bucketConfigOf } from './bucket-destination.ts';

/** A destination that stores files: everything but a service. */
export type StorageDestination = Exclude<Destination, { kind: 'service' }>;
export type StorageDestinationOf<Kind extends StorageDestination['kind']> = Extract<StorageDestination, { kind: Kind }>;

/**
 * Opens the store of a destination. Sends and writes nothing yet.
 *
 * @throws HoldfastError `home_damaged` if secrets are missing, `destination_*`, `usage`
 */
export async function openDestinationStorage(
  destination: StorageDestination,
  secrets: StoreSecrets,
  options: OpenStorageOptions,
): Promise<Storage> {
  const problem = missingSecret(destination, secrets);
  if (problem !== undefined) throw new HoldfastError('home_damaged', { problem });
  return await openStorage(locationFor(destination, secrets), credentialsFor(destination, secrets), options);
}

/** Returns the name of the secret that a destination needs and lacks. */
export function missingSecret(destination: StorageDestination, secrets: StoreSecrets): string | undefined {
  switch (destination.kind) {
    case 'bucket':
      return secrets.bucket ? undefined : 'no-bucket-keys';
    case 'sftp':
      return secrets.sftp ? undefined : 'no-ssh-sign-in';
    case 'webdav':
      return destination.user === undefined || secrets.webdav ? undefined : 'no-webdav-password';
    case 'folder':
    case 'rclone':
      return undefined;
  }
}

function locationFor(destination: StorageDestination, secrets: StoreSecrets): StorageLocation {
  switch (destination.kind) {
    case 'bucket': {
      const { credentials: _secret, ...place } = bucketConfigOf(destination, secrets.bucket!);
      return { kind: 'bucket', ...place };
    }
    case 'sftp': {
      const { hostKey: fingerprint, port = SSH_PORT, ...place } = destination;
      return { ...place, port, fingerprint };
    }
    case 'webdav':
      return { kind: 'webdav', url: destination.url };
    case 'folder':
    case 'rclone':
      return destination;
  }
}

function credentialsFor(destination: StorageDestination, { bucket, sftp, webdav }: StoreSecrets): StorageCredentials {
  const user = destination.kind === 'webdav' ? destination.user : undefined;
  return { bucket, sftp, webdav: user === undefined || !webdav ? undefined : { user, password: webdav.password } };
}
