import { accessSync, constants, existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { deriveKeys } from '../../engine/crypto/keys.ts';
import { masterKeyOf, phraseOf } from '../../engine/crypto/recovery-phrase.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors.ts';
import type { AgentParts } from '../agent.ts';
import type { BucketPlace } from '../destination/bucket-destination.ts';
import type { StoredSet } from '../destination/account-keys.ts';
import { prepareHome, type Home } from '../home/home.ts';
import { loadSettings, placeOf, saveSettings, type Destination, type Settings } from '../home/settings.ts';
import { SettingsLock } from '../home/settings-lock.ts';
import type { BucketCredentials } from '../../service/objects/s3/bucket-config.ts';
import type { Secrets } from '../key-store/key-store.ts';
import type { UnsavedSession } from '../key-store/stored-session.ts';
import type { KeyChoice } from '../setup/master-key.ts';
import type { ProviderDialogue } from '../setup/provider-session.ts';

/** Where backups shall go, and how this computer signs in there. */
export type SetupDestination =
  | { readonly kind: 'embedded'; readonly directory: string }
  | ({
      readonly kind: 'bucket';
      /** From the environment where none are given. */
      readonly credentials?: BucketCredentials;
      /** Of its metadata in the home, where the usual one is another bucket's. */
      readonly folder?: string;
    } & BucketPlace)
  | { readonly kind: 'device'; readonly url: string; readonly deviceKey: string }
  | {
      readonly kind: 'user';
      readonly url: string;
      readonly email: string;
      readonly password: string;
      readonly code: string | undefined;
    }
  | ({ readonly kind: 'provider'; readonly url: string } & ProviderDialogue)
  /** As a person who has signed in before. */
  | { readonly kind: 'session'; readonly url: string; readonly email: string; readonly session: UnsavedSession };

export interface SetupRequest {
  readonly destination: SetupDestination;
  /** An existing device to go on as; otherwise a new one is registered. */
  readonly deviceId?: string;
  /** The name of a new device; this computer's where none is given. */
  readonly deviceName?: string;
  readonly recoveryPhrase?: string;
  /** Wraps the master key in the envelope that goes along with backups, or opens such an envelope. */
  readonly passphrase?: string;
  /** Words of a new phrase will be asked back: until then the home counts as one whose phrase may be nowhere. */
  readonly asksPhraseBack?: boolean;
}

export interface SetupReport {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly recoveryPhrase: string;
  /** Whether this home took over a key that existed already. */
  readonly adopted: boolean;
  /** Sets that have restore points at the destination; nothing where it cannot list them. */
  readonly storedSets: readonly StoredSet[] | undefined;
  /** The devices that the destination knew before. */
  readonly devices: readonly KnownDevice[];
}

/** A device as people know it. */
export interface KnownDevice {
  readonly id: string;
  readonly name: string;
}

/** What joining a destination comes to; nothing of it is saved yet. */
export interface Joined {
  readonly destination: Destination;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly secrets: Secrets;
  readonly adopted: boolean;
  readonly storedSets: readonly StoredSet[] | undefined;
  readonly devices: readonly KnownDevice[];
}

/** What joining needs to know besides the destination. */
export interface JoinRequest {
  readonly deviceId: string | undefined;
  readonly deviceName: string;
  readonly keys: KeyChoice;
}

/**
 * Sets a home up. What can be checked is checked first; the destination is tried before anything is saved, and nothing is
 * saved when anything fails.
 *
 * @throws HoldfastError `already_set_up`, `phrase_invalid`, `phrase_needed`, `phrase_other_account`, `passphrase_wrong`,
 *   `password_wrong`, `code_needed`, `code_wrong`, `provider_refused`, `device_refused`, `usage`, `destination_*`, `service_*`,
 *   `home_unwritable`
 */
export async function setup(request: SetupRequest, parts: AgentParts, signal?: AbortSignal): Promise<SetupReport> {
  refuseSecondSetup(parts.home);
  checkWritable(parts.home);
  const master = request.recoveryPhrase === undefined ? undefined : masterKeyOf(request.recoveryPhrase);
  const joined = await joinDestination(request, { master, passphrase: request.passphrase }, parts, signal);
  await save(joined, parts, request.asksPhraseBack === true && !joined.adopted);
  return {
    deviceId: joined.deviceId,
    deviceName: joined.deviceName,
    recoveryPhrase: phraseOf(joined.secrets.masterKey),
    adopted: joined.adopted,
    storedSets: joined.storedSets,
    devices: joined.devices,
  };
}

/** Joins a destination with a key; what it comes to is for the caller to save. @throws as `setup` */
export async function joinDestination(
  request: SetupRequest,
  keys: KeyChoice,
  parts: AgentParts,
  signal: AbortSignal | undefined,
): Promise<Joined> {
  const { destination, deviceId, deviceName = hostname() } = request;
  const joining: JoinRequest = { deviceId, deviceName, keys };
  if (destination.kind === 'embedded') {
    const { joinEmbedded } = await import('../setup/join-embedded.ts');
    return joinEmbedded(destination.directory, joining, parts, signal);
  }
  if (destination.kind === 'bucket') {
    const { joinBucket } = await import('../setup/join-bucket.ts');
    return joinBucket(destination, joining, parts, signal);
  }
  const { joinAsDevice, joinAsUser } = await import('../setup/join-service.ts');
  return destination.kind === 'device'
    ? joinAsDevice(destination, joining, parts, signal)
    : joinAsUser(destination, joining, parts, signal);
}

/** Secrets first: settings are what makes a home set up. */
async function save(joined: Joined, { home, keyStore }: AgentParts, asksPhraseBack: boolean): Promise<void> {
  const { destination, deviceId, deviceName, secrets } = joined;
  const keyId = deriveKeys(secrets.masterKey).id;
  const settings: Settings = {
    version: 1,
    destination,
    deviceId,
    deviceName,
    keyId,
    sets: [],
    ...(asksPhraseBack ? { phraseConfirmed: false } : {}),
  };
  prepareHome(home);
  using _lock = SettingsLock.acquire(home);
  refuseSecondSetup(home);
  await keyStore.save(secrets);
  saveSettings(home, settings);
}

function refuseSecondSetup(home: Home): void {
  const settings = loadSettings(home);
  if (!settings) return;
  throw new HoldfastError('already_set_up', { home: home.folder, destination: placeOf(settings.destination) });
}

/** Before anything is made elsewhere for a home that then cannot be saved. */
function checkWritable(home: Home): void {
  let folder = home.folder;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new HoldfastError('home_unwritable', { file: folder, problem: systemCodeOf(error) }, { cause: error });
  }
}
