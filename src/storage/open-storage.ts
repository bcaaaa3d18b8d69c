import type { BucketConfig, BucketCredentials } from './bucket/bucket-config.ts';
import type { RcloneConfig } from './rclone/rclone-process.ts';
import { longestWait, type StorageParts } from './retries.ts';
import type { HostKeyCheck, SftpAuthentication, SftpConfig } from './sftp/sftp-config.ts';
import type { Storage } from './storage.ts';
import type { WebdavCredentials } from './webdav/authorization.ts';

/** Where a repository is. Contains no secrets. */
export type StorageLocation =
  | { readonly kind: 'folder'; readonly directory: string }
  | ({ readonly kind: 'bucket' } & Omit<BucketConfig, 'credentials'>)
  /** `fingerprint` is the host key's, as `ssh-keygen -l` shows it. */
  | ({ readonly kind: 'sftp'; readonly fingerprint: string } & Omit<SftpConfig, 'hostKey' | 'authentication'>)
  | { readonly kind: 'webdav'; readonly url: string }
  /** The credentials are in rclone's own configuration. */
  | ({ readonly kind: 'rclone' } & RcloneConfig);

/** The secrets of a location, by its kind. */
export interface StorageCredentials {
  readonly bucket?: BucketCredentials | undefined;
  readonly sftp?: SftpAuthentication | undefined;
  /** Left out if the server needs none. */
  readonly webdav?: WebdavCredentials | undefined;
}

export interface OpenStorageOptions extends StorageParts {
  /** The repository is about to be created: its first file will be `holdfast.json`. */
  readonly isNew?: boolean | undefined;
  /** Decides about the host key of an SSH server instead of the fingerprint of the location. */
  readonly acceptHostKey?: ((fingerprint: string) => boolean | Promise<boolean>) | undefined;
}

/**
 * Opens the store of a repository. Libraries are loaded when they are needed; networks are used by the first call.
 *
 * @throws HoldfastError `destination_missing` if a folder is not there, or has no repository
 */
export async function openStorage(
  location: StorageLocation,
  credentials: StorageCredentials,
  options: OpenStorageOptions,
): Promise<Storage> {
  const { isNew = false, acceptHostKey } = options;
  switch (location.kind) {
    case 'folder': {
      const { FolderStorage } = await import('./folder/folder-storage.ts');
      return FolderStorage.open(location.directory, { isNew });
    }
    case 'bucket': {
      const { BucketStorage } = await import('./s3/bucket-storage.ts');
      const config = { ...location, credentials: needed(credentials.bucket) };
      const waiting = { clock: options.clock, maxWaitMs: longestWait(options) };
      return new BucketStorage(config, { attempts: options.policy?.attempts, waiting });
    }
    case 'sftp': {
      const { SftpStorage } = await import('./sftp/sftp-storage.ts');
      const { fingerprint, ...place } = location;
      const hostKey: HostKeyCheck = acceptHostKey
        ? { kind: 'ask', accept: acceptHostKey }
        : { kind: 'known', fingerprint };
      const config = { ...place, hostKey, authentication: needed(credentials.sftp) };
      return new SftpStorage(config, options, { isNew });
    }
    case 'webdav': {
      const { WebdavStorage } = await import('./webdav/webdav-storage.ts');
      return new WebdavStorage({ url: location.url, credentials: credentials.webdav }, options, { isNew });
    }
    case 'rclone': {
      const { RcloneStorage } = await import('./rclone/rclone-storage.ts');
      return new RcloneStorage(location, options, { isNew });
    }
  }
}

/** @throws TypeError if the secrets of a location are missing, which is a bug */
function needed<Credentials>(credentials: Credentials | undefined): Credentials {
  if (credentials === undefined) throw new TypeError('the credentials of the store are missing');
  return credentials;
}
