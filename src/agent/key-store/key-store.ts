import type { BucketCredentials } from '../../service/objects/s3/bucket-config.ts';
import type { StoredSession } from '../../engine/transfer/sign-in/user-token-source.ts';

/** What this computer keeps secret of the place where its backups go. */
export interface DestinationSecrets {
  /** With a device's sign-in. */
  readonly deviceKey?: string;
  /** With a person's sign-in. */
  readonly session?: StoredSession;
  /** With a bucket: who we are there. */
  readonly bucket?: BucketCredentials;
  /** The key envelope that goes along with backups (engine/crypto/key-envelope.ts). */
  readonly keyEnvelope: Uint8Array;
}

/** What this computer keeps secret. */
export interface Secrets extends DestinationSecrets {
  readonly masterKey: Uint8Array;
}

/** Where secrets are kept. */
export interface KeyStore {
  /** What protects them, for `status`. */
  readonly protection: 'file' | 'keychain';
  /** Where they are, for messages. */
  readonly place: string;
  /** Those of the place that the settings name; nothing where none were ever saved. @throws HoldfastError `home_damaged`, `keychain_unavailable` */
  load(): Promise<Secrets | undefined>;
  /** Resolves when they are on the disk. @throws HoldfastError `home_unwritable`, `keychain_unavailable` */
  save(secrets: Secrets): Promise<void>;
  /** The same secrets, as they are for a place of that name; without one, for the setup's. */
  at(name: string | undefined): KeyStore;
  /**
   * Keeps what belongs to another place, under a name by which the settings can come to name it; those of the places that
   * are not in `others` any more are forgotten. @throws as `load`, `save`
   */
  saveDestination(name: string, secrets: DestinationSecrets, others: readonly string[]): Promise<void>;
}
