import type { Logger } from 'pino';
import type { AccountSettings } from './auth/account-settings.ts';
import type { CallerCache } from './auth/caller-cache.ts';
import type { SessionActivity } from './backup/session-activity.ts';
import type { BlobIntake } from './backup/blob-intake.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { UrlSigner } from './objects/presigned-url.ts';
import type { MetadataStore } from './store/metadata-store.ts';

/** Milliseconds since the epoch. */
export interface ServiceClock {
  now(): number;
}

/** What every part of the service works with. */
export interface ServiceContext {
  readonly metadata: MetadataStore;
  readonly callers: CallerCache;
  readonly accountSettings: AccountSettings;
  readonly objects: ObjectStore;
  readonly intake: BlobIntake;
  readonly activity: SessionActivity;
  readonly signer: UrlSigner;
  readonly clock: ServiceClock;
  readonly log: Logger;
  /** Where manifests are put that name their device after their files. */
  readonly spoolDirectory: string;
}

/** Who is asking, as the token says and the store confirmed. */
export type Caller =
  | { readonly kind: 'user'; readonly accountId: string; readonly userId: string; readonly familyId: string }
  | {
      readonly kind: 'device';
      readonly accountId: string;
      readonly deviceId: string;
      readonly permissions: readonly string[];
    };
