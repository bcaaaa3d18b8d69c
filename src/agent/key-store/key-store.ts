import type { BucketCredentials } from '../../s3/bucket-config.ts';
import type { SftpAuthentication } from '../../repository/storage/sftp/sftp-config.ts';
import type { StoredSession } from '../../engine/transfer/sign-in/user-token-source.ts';

/** The secrets that open a store of files, by its kind. */
export interface StoreSecrets {
  readonly bucket?: BucketCredentials;
  /** The way to sign in to an SSH server. */
  readonly sftp?: SftpAuthentication;
  /** The password of the user that the settings name. */
  readonly webdav?: { readonly password: string };
}

/** The secrets for one destination. */
export interface DestinationSecrets extends StoreSecrets {
  /** Used to sign in as a device. */
  readonly deviceKey?: string;
  /** Used to sign in as a person. */
  readonly session?: StoredSession;
  /** The key envelope that is stored with the backups (engine/crypto/key-envelope.ts). */
  readonly keyEnvelope: Uint8Array;
}

export interface Secrets extends DestinationSecrets {
  readonly masterKey: Uint8Array;
}

export interface KeyStore {
  /** The protection of the secrets, for `status`. */
  readonly protection: 'file' | 'keychain';
  /** The path of the secrets, for messages. */
  readonly location: string;
  /**
   * Loads the secrets of the first destination of the settings. Returns `undefined` if none were ever saved.
   *
   * @throws HoldfastError `home_damaged`, `keychain_unavailable`
   */
  load(): Promise<Secrets | undefined>;
  /** Resolves when the secrets are on the disk. @throws HoldfastError `home_unwritable`, `keychain_unavailable` */
  save(secrets: Secrets): Promise<void>;
  /** Returns a view of the store for the destination of that name, or for the setup's without one. */
  at(name: string | undefined): KeyStore;
  /**
   * Saves the secrets of another destination under a name that the settings can refer to. Removes those of destinations
   * that are not in `others`.
   *
   * @throws as `load`, `save`
   */
  saveDestination(name: string, secrets: DestinationSecrets, others: readonly string[]): Promise<void>;
}
