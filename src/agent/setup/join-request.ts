import type { SftpAuthentication, SftpPlace } from '../../storage/sftp/sftp-config.ts';
import type { BucketCredentials } from '../../storage/bucket/bucket-config.ts';
import type { Doubt } from '../../repository/doubt.ts';
import type { StoredSet } from '../destination/keys/account-keys.ts';
import type { BucketPlace } from '../destination/store/bucket-destination.ts';
import type { WebdavPlace } from '../destination/store/store-address.ts';
import type { StoreCaution, Destination } from '../../model/destination.ts';
import type { Secrets } from '../key-store/key-store.ts';
import type { UnsavedSession } from '../key-store/stored-session.ts';
import type { KeyChoice } from './master-key.ts';
import type { ProviderDialogue } from './provider-session.ts';

/** What applies to every destination of files. */
interface NewStore {
  /** Bytes of parity for a hundred bytes, if the backups there are begun now; none by default. */
  readonly parity?: number | undefined;
}

/** A destination for backups, and how this computer signs in there. */
export type SetupDestination =
  | ({ readonly kind: 'folder'; readonly directory: string } & NewStore)
  | ({
      readonly kind: 'bucket';
      /** Read from the environment by default. */
      readonly credentials?: BucketCredentials;
      /** Nobody can delete a file there for so many days after each backup. */
      readonly objectLockDays?: number | undefined;
    } & BucketPlace &
      NewStore)
  | ({
      readonly kind: 'sftp';
      /** A key file of the user or the SSH agent by default, whichever the server accepts. */
      readonly authentication?: SftpAuthentication | undefined;
      /** The fingerprint that was confirmed. */
      readonly hostKey?: string | undefined;
      /** Asks about the fingerprint that the server presents, if none was confirmed. */
      readonly confirmHostKey?: ((fingerprint: string) => boolean | Promise<boolean>) | undefined;
    } & SftpPlace &
      NewStore)
  | ({ readonly kind: 'webdav'; readonly password?: string | undefined } & WebdavPlace & NewStore)
  | ({ readonly kind: 'rclone'; readonly remote: string } & NewStore)
  | { readonly kind: 'device'; readonly url: string; readonly deviceKey: string }
  | {
      readonly kind: 'user';
      readonly url: string;
      readonly email: string;
      readonly password: string;
      readonly code: string | undefined;
    }
  | ({ readonly kind: 'provider'; readonly url: string } & ProviderDialogue)
  /** Signs in as a person who has signed in before. */
  | { readonly kind: 'session'; readonly url: string; readonly email: string; readonly session: UnsavedSession };

export type SetupDestinationOf<Kind extends SetupDestination['kind']> = Extract<SetupDestination, { kind: Kind }>;

/** What identifies the backups of a configured destination, besides its address. */
export interface KnownBackups {
  readonly location: string;
  /** This computer's device there. */
  readonly deviceId: string;
  /** The id of the repository, if it is one. */
  readonly repository: string | undefined;
}

export interface JoinRequest {
  /** Destinations that may not be joined once more by another address. */
  readonly others?: readonly KnownBackups[];
  readonly deviceId: string | undefined;
  readonly deviceName: string;
  readonly keys: KeyChoice;
  /** Saves the secrets of backups that are about to be begun, so that a set-up that is killed can be continued. */
  readonly begin?: (secrets: Secrets) => Promise<void>;
  /** Removes them again, since nothing was begun. */
  readonly withdraw?: (secrets: Secrets) => Promise<void>;
  /** Saves what was joined. If that fails, a repository that was begun for it is removed again: nobody would have its key. */
  readonly save?: (joined: Joined) => Promise<void>;
}

/** The result of joining a destination. Nothing of it is saved but by `JoinRequest.save`. */
export interface Joined {
  readonly destination: Destination;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly secrets: Secrets;
  /** True if this home took over an existing key. */
  readonly adopted: boolean;
  /** Sets that have restore points at the destination. `undefined` if it cannot list them. */
  readonly storedSets: readonly StoredSet[] | undefined;
  /** The devices that the destination knew before. */
  readonly devices: readonly KnownDevice[];
  /** What the store does not promise. */
  readonly cautions: readonly StoreCaution[];
  /** The share of parity there, in percent: that of whoever began the backups. `undefined` at a service. */
  readonly parity?: number;
  /** Why the sets there may not be all; `undefined` if nothing is known to be missing. */
  readonly doubt?: Doubt | undefined;
  /** True if the key of the backups was changed after the recovery phrase was printed: only what was stored before can be read. */
  readonly isOutdated?: true;
}

export interface KnownDevice {
  readonly id: string;
  readonly name: string;
}
