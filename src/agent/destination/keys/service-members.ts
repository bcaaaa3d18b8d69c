import { isSealedBy } from '../../../format/crypto/key-envelope.ts';
import type { DeviceLimit, SetEnd } from '../../../format/crypto/device-limits.ts';
import { keyIdOf, type Keys, type KeyRing } from '../../../format/crypto/keys.ts';
import { hasKey, unique } from '../../../format/crypto/rotation.ts';
import type { SettledKeys } from '../../../format/crypto/settle-keys.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import type { Clock } from '../../../base/clock.ts';
import type { DestinationCatalog } from '../../../catalog/catalog.ts';
import type { RestoreSource } from '../../../model/restore-request.ts';
import { isDataFailure, readTreeFooter, type NewestTree } from '../../../read/source/tree.ts';
import { storedSets, type AccountAccess, type StoredSet } from './account-keys.ts';
import type { KnownEnvelope } from './known-envelopes.ts';
import { envelopeIn, type ServiceEnvelopes } from './service-envelopes.ts';

/** A computer that may get a new key. */
export interface KeyHolder {
  readonly id: string;
  readonly device: string;
  readonly name: string;
  /** Public key; `null` if it has stated none. */
  readonly key: Uint8Array | null;
}

/** The devices of an account at a service that get a new key, and those that do not. */
export interface ServiceMembers {
  readonly all: readonly KeyHolder[];
  readonly kept: readonly KeyHolder[];
  readonly removed: readonly KeyHolder[];
  /** Public keys of those that are kept. */
  readonly members: readonly Uint8Array[];
  /** Public keys of all that were ever removed. */
  readonly revoked: readonly Uint8Array[];
}

interface KnownKeys {
  readonly ring: KeyRing;
  readonly settled: SettledKeys;
  /** The id of this device. */
  readonly own: string;
}

/** The public key of a device, as the newest envelope of its sets states it. */
interface StatedKey {
  readonly key: Uint8Array;
  /** Id of the master key that proves it. */
  readonly keyId: string;
  readonly time: string;
}

/**
 * Lists the devices of an account with the public keys that their envelopes state. Whoever was removed has the keys of earlier epochs: what
 * an envelope of one states counts only for a key that has the current one already, or that was known here before the key was changed.
 */
export function holdersOf(
  { devices, envelopes, remembered }: ServiceEnvelopes,
  { ring, settled }: KnownKeys,
): readonly KeyHolder[] {
  const current = keyIdOf(ring[0].master);
  const members = settled.state?.members ?? [];
  const before = statedKeys(remembered, ring, () => true);
  const isTrusted = (device: string, { key, keyId }: StatedKey): boolean => {
    if (keyId === current || hasKey(members, key)) return true;
    const known = before.get(device);
    return keyId === settled.newest?.keyId && known !== undefined && Buffer.compare(known.key, key) === 0;
  };
  const keys = statedKeys(envelopes, ring, isTrusted);
  const names = new Map(devices.map(({ id, name }) => [id, name]));
  const ids = new Set([...names.keys(), ...envelopes.map(({ deviceId }) => deviceId)]);
  return Array.from(ids, (id) => ({ id, device: id, name: names.get(id) ?? id, key: keys.get(id)?.key ?? null }));
}

function statedKeys(
  envelopes: readonly KnownEnvelope[],
  ring: KeyRing,
  isTrusted: (device: string, stated: StatedKey) => boolean,
): ReadonlyMap<string, StatedKey> {
  const keys = new Map<string, StatedKey>();
  for (const { deviceId, restorePoint: time = '', bytes } of envelopes) {
    const envelope = envelopeIn(bytes);
    const master = ring.find((one) => keyIdOf(one.master) === envelope?.keyId)?.master;
    if (!envelope || !master || !isSealedBy(envelope, master) || envelope.holder?.device !== deviceId) continue;
    const stated = { key: envelope.holder.key, keyId: envelope.keyId, time };
    const other = keys.get(deviceId);
    if (isTrusted(deviceId, stated) && (!other || time > other.time)) keys.set(deviceId, stated);
  }
  return keys;
}

/** Divides the devices. One that was revoked at the service gets no key either. @param isRemoved whether a device is removed now */
export function serviceMembers(
  found: ServiceEnvelopes,
  known: KnownKeys,
  isRemoved: (holder: KeyHolder) => boolean = () => false,
): ServiceMembers {
  const { settled, own, ring } = known;
  const holders = holdersOf(found, known);
  const revokedThere = new Set(found.devices.filter(({ status }) => status === 'revoked').map(({ id }) => id));
  // Whoever was removed may state another key by now.
  const revokedElsewhere = new Set(
    [found.envelopes, found.remembered].flatMap((envelopes) =>
      Array.from(statedKeys(envelopes, ring, (_, { key }) => hasKey(settled.revoked, key)).keys()),
    ),
  );
  const isGone = (holder: KeyHolder): boolean =>
    holder.id !== own &&
    (settled.devices?.get(holder.id)?.ends !== undefined ||
      revokedThere.has(holder.id) ||
      isRemoved(holder) ||
      revokedElsewhere.has(holder.id));
  const kept = holders.filter((holder) => !isGone(holder));
  const removed = holders.filter(isGone);
  const members = unique(kept.flatMap(({ key }) => key ?? []));
  const gone = keysIn(removed).filter((key) => !hasKey(members, key));
  // Who has the current key and is not removed keeps it, also at other destinations.
  const others = (settled.state?.members ?? []).filter((key) => !hasKey(gone, key));
  // What a service says of a device must not remove it elsewhere.
  const byOwner = keysIn(removed.filter((holder) => isRemoved(holder))).filter((key) => hasKey(gone, key));
  return {
    all: holders,
    kept,
    removed,
    members: unique([...members, ...others]),
    revoked: unique([...settled.revoked, ...byOwner]),
  };
}

function keysIn(holders: readonly KeyHolder[]): readonly Uint8Array[] {
  return holders.flatMap(({ key }) => key ?? []);
}

export interface TreeReading {
  readonly catalog: DestinationCatalog;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns up to where the restore points of each device count from now on.
 *
 * @throws what the service throws
 */
export async function deviceLimits(
  access: AccountAccess,
  found: ServiceEnvelopes,
  { kept, removed }: Pick<ServiceMembers, 'kept' | 'removed'>,
  settled: Pick<SettledKeys, 'devices' | 'newest'>,
  reading: TreeReading,
): Promise<ReadonlyMap<string, DeviceLimit>> {
  // The service may have been away when the key was changed before.
  const epoch = settled.newest?.epoch ?? 1;
  const limits = new Map<string, DeviceLimit>(settled.devices);
  for (const { id } of kept) limits.set(id, limits.get(id) ?? { epoch });
  for (const { id } of removed) {
    const before = limits.get(id);
    if (before?.ends) continue;
    const sets = found.envelopes.filter(({ deviceId }) => deviceId === id).map(({ backupSet }) => backupSet);
    limits.set(id, { epoch: before?.epoch ?? epoch, ends: await endsOf(access, { id, sets }, reading) });
  }
  return limits;
}

async function endsOf(
  access: AccountAccess,
  { id, sets }: { readonly id: string; readonly sets: readonly string[] },
  reading: TreeReading,
): Promise<readonly SetEnd[]> {
  const listed = (await storedSets(access, [id], reading.signal)) ?? [];
  const ends: SetEnd[] = [];
  for (const backupSet of new Set([...listed.map((set) => set.backupSet), ...sets])) {
    const end = await endOf(access, { deviceId: id, backupSet }, reading);
    if (end) ends.push(end);
  }
  return ends;
}

/** Restore points that are tried: the newest ones of a device that was stolen may be made up. */
const MOST_TRIED = 10;

/** Returns the newest restore point of a set whose tree can be read. If there is none, the time is all that limits the set. */
async function endOf(access: AccountAccess, source: StoredSet, reading: TreeReading): Promise<SetEnd | undefined> {
  const set = source.backupSet;
  const points = await access.service.restorePoints(source.deviceId, set, reading.signal);
  const times = points?.slice(0, MOST_TRIED).map((point) => Date.parse(point.restore_point)) ?? ['latest' as const];
  for (const at of times) {
    const newest = await readIfProven({ ...source, at }, access, reading);
    if (!newest) continue;
    const { sequence, treeHash: tree, created } = newest.footer;
    return { set, sequence, tree, created, time: Date.parse(newest.restorePoint) };
  }
  const [time] = times;
  if (typeof time !== 'number') return undefined;
  return { set, sequence: Number.MAX_SAFE_INTEGER, tree: NO_TREE, created: time, time };
}

const NO_TREE = '0'.repeat(64);

async function readIfProven(
  source: RestoreSource,
  { service, downloader }: AccountAccess,
  { catalog, keys, clock, signal }: TreeReading,
): Promise<NewestTree | undefined> {
  try {
    return await readTreeFooter(source, { service, downloader, catalog, keys, clock }, signal);
  } catch (error) {
    if (isDataFailure(error) || isHoldfastError(error, 'permission_denied')) return undefined;
    throw error;
  }
}
