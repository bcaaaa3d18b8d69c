import type { Clock } from '../../../base/clock.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import type { DeviceKey } from '../../../format/crypto/device-key.ts';
import { encodeEnvelope, readEnvelope, type EnvelopeHolder } from '../../../format/crypto/key-envelope.ts';
import { deriveKeys, keyIdOf } from '../../../format/crypto/keys.ts';
import { rotate, sealRing, type Membership } from '../../../format/crypto/rotation.ts';
import type { SettledKeys } from '../../../format/crypto/settle-keys.ts';
import type { DestinationCatalog } from '../../../catalog/catalog.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import type { Home } from '../../home/home.ts';
import type { Settings } from '../../home/settings.ts';
import { accountSecretsIn, keyRingIn, type KeyStore, type Secrets } from '../../key-store/key-store.ts';
import { adoptKeys, deviceKeyIn } from './adopt-keys.ts';
import { KnownEnvelopes } from './known-envelopes.ts';
import { keysOf } from './keys-of.ts';
import { saveAdopted } from './save-adopted.ts';
import type { ServiceAccess } from '../service-access.ts';
import { lostEnvelopes, readServiceEnvelopes, type ServiceEnvelopes } from './service-envelopes.ts';
import { deviceLimits, serviceMembers, type KeyHolder, type ServiceMembers } from './service-members.ts';

/** A service with what it has of the keys of its account. */
export interface ServiceKeys {
  readonly access: ServiceAccess;
  readonly settings: Settings;
  readonly home: Home;
  /** Of the destination. */
  readonly keyStore: KeyStore;
  readonly settled: SettledKeys;
  readonly secrets: Secrets;
  readonly found: ServiceEnvelopes;
  readonly catalog: DestinationCatalog;
  /** What the service showed before and does not any more. */
  readonly warnings: readonly RunWarning[];
  /** Remembers what was found. What is missing is not reported again. */
  remember(): void;
}

interface OpenService {
  readonly access: ServiceAccess;
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly catalog: DestinationCatalog;
}

/**
 * Reads the key envelopes at a service, and takes over the current key.
 *
 * @throws what the service throws
 */
export async function takeServiceKeys(
  { access, settings, secrets: before, catalog }: OpenService,
  { home, keyStore: whole }: Pick<ServiceKeys, 'home' | 'keyStore'>,
  signal?: AbortSignal,
): Promise<ServiceKeys> {
  const keyStore = whole.at(settings.credentials);
  const file = new KnownEnvelopes(home, settings.id);
  const known = file.read();
  const reader = { deviceId: settings.deviceId, sets: settings.sets.map(({ name }) => name) };
  const found = await readServiceEnvelopes(access, reader, known, signal);
  const bytes = found.envelopes.map((envelope) => envelope.bytes);
  const { secrets, settled, isChanged } = adoptKeys(before, bytes);
  if (isChanged) await saveAdopted(secrets, before, { home, keyStore });
  return {
    access,
    settings,
    home,
    keyStore,
    settled,
    secrets,
    found,
    catalog,
    warnings: lostEnvelopes(found, keyRingIn(secrets)),
    remember: () => file.write(found.envelopes),
  };
}

/** Divides the devices of a service. */
export function membersAt(
  { secrets, settled, settings, found }: ServiceKeys,
  isRemoved?: (holder: KeyHolder) => boolean,
): ServiceMembers {
  return serviceMembers(found, { ring: keyRingIn(secrets), settled, own: settings.deviceId }, isRemoved);
}

/** Returns whom the envelope for a service is sealed to, and what it lets count. @throws what the service throws */
export async function membershipAt(
  keys: ServiceKeys,
  divided: ServiceMembers,
  author: DeviceKey,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<Membership> {
  const { access, catalog, found, secrets, settled, settings } = keys;
  const reading = { catalog, keys: keysOf(secrets, settled), clock, signal };
  const devices = await deviceLimits(access, found, divided, settled, reading);
  const { members, revoked } = divided;
  return { author, members, revoked, writers: new Map(), devices, holder: holderOf(settings, author) };
}

/**
 * Prepares the key envelope that goes to a service with the next restore point: it states the public key of this computer, and has a slot for
 * every device that is known there.
 *
 * @returns the envelope
 * @throws HoldfastError `key_changed` if the key is another one now, and the run has to begin anew; `key_outdated`; what the service throws
 */
export async function completeServiceKeys(
  keys: ServiceKeys,
  usedKeyId: string,
  { clock }: { readonly clock: Clock },
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const { secrets, settled, settings, keyStore } = keys;
  const ring = keyRingIn(secrets);
  if (deriveKeys(ring).id !== usedKeyId) throw new HoldfastError('key_changed', {}, { retryable: true });
  if (settled.isWithdrawn) throw new HoldfastError('key_outdated', {});
  const author = deviceKeyIn(secrets);
  if (!author) return secrets.keyEnvelope;
  const own = readEnvelope(secrets.keyEnvelope);
  const holder = holderOf(settings, author);
  const save = async (envelope: Uint8Array, changed: Secrets = secrets): Promise<Uint8Array> => {
    await keyStore.saveKeys(accountSecretsIn(changed), envelope);
    return envelope;
  };
  if (settled.lacks === 'rotate') {
    const membership = await membershipAt(keys, membersAt(keys), author, { clock, signal });
    const next = await rotate(ring, settled.state, membership, { now: clock.now() });
    const [current, ...earlierKeys] = next.ring;
    const account = { masterKey: current.master, epoch: current.epoch, earlierKeys, revoked: membership.revoked };
    const rotated = { ...secrets, ...account, keyEnvelope: next.envelope };
    await saveAdopted(rotated, secrets, { home: keys.home, keyStore });
    throw new HoldfastError('key_changed', {}, { retryable: true });
  }
  const isOwnCurrent = own.keyId === keyIdOf(secrets.masterKey);
  if (isOwnCurrent && settled.lacks === 'nothing') {
    const isStated = own.holder?.device === holder.device && Buffer.compare(own.holder.key, holder.key) === 0;
    return isStated ? secrets.keyEnvelope : await save(encodeEnvelope({ ...own, holder }, ring));
  }
  const { state, newest } = settled;
  const replaced = state?.after === undefined ? newest : { ...state, keyId: state.after, since: 0 };
  const before = replaced && replaced.keyId !== keyIdOf(secrets.masterKey) ? replaced : undefined;
  const membership = await membershipAt(keys, membersAt(keys), author, { clock, signal });
  return await save(sealRing(ring, before, membership, { since: state?.since ?? clock.now() }));
}

function holderOf({ deviceId }: Settings, { publicKey }: DeviceKey): EnvelopeHolder {
  return { device: deviceId, key: publicKey };
}
