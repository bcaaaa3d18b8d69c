import type { Logger } from 'pino';
import type { DiskReserve } from './disk/disk-reserve.ts';
import type { AccountSettings } from './auth/account-settings.ts';
import type { CopyState } from './operation/copy/copy-state.ts';
import type { RelyingParty } from './auth/factors/relying-party.ts';
import type { CallerCache } from './auth/tokens/caller-cache.ts';
import type { SessionActivity } from './backup/session-activity.ts';
import type { UploadReservations } from './backup/upload-reservations.ts';
import type { BlobIntake } from './backup/blob-intake.ts';
import type { ServiceMail } from './mail/service-mail.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { UrlSigner } from './objects/presigned-url.ts';
import type { ByteBudget } from './request/byte-budget.ts';
import type { PacedDownloads } from './request/paced-downloads.ts';
import type { ServiceClock } from './service-clock.ts';
import type { MetadataStore } from './metadata-store.ts';

/** Dependencies shared by every part of the service. */
export interface ServiceContext {
  readonly metadata: MetadataStore;
  readonly callers: CallerCache;
  readonly accountSettings: AccountSettings;
  readonly objects: ObjectStore;
  /** `undefined` if nothing is kept on a disk of the service's own. */
  readonly reserve: DiskReserve | undefined;
  readonly intake: BlobIntake;
  readonly activity: SessionActivity;
  readonly reservations: UploadReservations;
  /** Answers with blobs. */
  readonly downloads: PacedDownloads;
  readonly signer: UrlSigner;
  /** `undefined` if browsers make no passkeys for the public address, or there is none. */
  readonly relyingParty: RelyingParty | undefined;
  readonly clock: ServiceClock;
  /** `undefined` if the service sends no mail. */
  readonly mail: ServiceMail | undefined;
  readonly log: Logger;
  /** `undefined` where copies are not told from the original. */
  readonly copyState: CopyState | undefined;
  /** Memory of the chunk lists of long files, while their manifests arrive. */
  /** Bytes of packs that have arrived in part. */
  readonly packMemory: ByteBudget;
  readonly manifestMemory: ByteBudget;
  /** Disk of `spoolDirectory`. */
  readonly manifestSpool: ByteBudget;
  /** Folder for manifests whose device comes after their files. */
  readonly spoolDirectory: string;
}
