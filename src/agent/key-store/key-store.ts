import type { EpochMaster, KeyRing } from '../../format/crypto/keys.ts';
import type { BucketCredentials } from '../../storage/bucket/bucket-config.ts';
import type { SftpAuthentication } from '../../storage/sftp/sftp-config.ts';
import type { StoredSession } from '../../remote/sign-in/user-token-source.ts';

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
  /** The key envelope that is stored with the backups (format/crypto/key-envelope.ts). */
  readonly keyEnvelope: Uint8Array;
}

/** The keys of the account, which are the same at every destination. */
export interface AccountSecrets {
  /** Of the current epoch. */
  readonly masterKey: Uint8Array;
  /** The first by default. */
  readonly epoch?: number;
  /** Master keys of other epochs, the newest first. */
  readonly earlierKeys?: readonly EpochMaster[];
  /** `DeviceKey.secret` of this computer. */
  readonly deviceSecret?: Uint8Array;
  /** Public keys of devices that were removed. */
  readonly revoked?: readonly Uint8Array[];
}

export interface Secrets extends DestinationSecrets, AccountSecrets {}

/** Returns the master keys, the current one first. */
export function keyRingIn({ masterKey, epoch = 1, earlierKeys = [] }: AccountSecrets): KeyRing {
  return [{ epoch, master: masterKey }, ...earlierKeys];
}

/** Returns the keys of the account without those of a destination. */
export function accountSecretsIn(secrets: AccountSecrets): AccountSecrets {
  const { masterKey, epoch, earlierKeys, deviceSecret, revoked } = secrets;
  return {
    masterKey,
    ...(epoch !== undefined && { epoch }),
    ...(earlierKeys && { earlierKeys }),
    ...(deviceSecret && { deviceSecret }),
    ...(revoked && { revoked }),
  };
}

/** Returns the keys of one destination without those of the account. */
export function destinationSecretsIn(secrets: Secrets): DestinationSecrets {
  const {
    masterKey: _key,
    epoch: _epoch,
    earlierKeys: _earlier,
    deviceSecret: _secret,
    revoked: _revoked,
    ...own
  } = secrets;
  return own;
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
  /**
   * Saves the keys of the account and the envelope of the destination, and leaves all else as it is.
   *
   * @throws as `save`
   */
  saveKeys(account: AccountSecrets, keyEnvelope: Uint8Array): Promise<void>;
  /** Returns a view of the store for the destination of that name, or for the setup's without one. */
  at(name: string | undefined): KeyStore;
  /**
   * Saves the secrets of another destination under a name that the settings can refer to. Removes those of destinations
   * that are not in `others`.
   *
   * @throws as `load`, `save`
   */
  saveDestination(name: string, secrets: DestinationSecrets, others: readonly string[]): Promise<void>;
  /** Saves the session of the destination, and leaves all else as it is. @throws HoldfastError `not_set_up`, and as `save` */
  saveSession(session: StoredSession): Promise<void>;
  /**
   * The password of a mail server for reports; `undefined` without one.
   *
   * @param server its address with the user: what is sent to one server is never the password of another
   * @throws as `load`
   */
  mailPassword(server: string): Promise<string | undefined>;
  /** Saves the password of a mail server, or removes it. @throws HoldfastError `not_set_up`, and as `save` */
  saveMailPassword(server: string, password: string | undefined): Promise<void>;
  /** Removes the passwords of other mail servers, or of all. @throws as `saveMailPassword` */
  keepMailPassword(server: string | undefined): Promise<void>;
}
