import { isHoldfastError } from '../../../base/errors/errors.ts';
import { isSealedBy, readEnvelope, type KeyEnvelope } from '../../../format/crypto/key-envelope.ts';
import { keyIdOf, type KeyRing } from '../../../format/crypto/keys.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import { isDataFailure } from '../../../read/source/tree.ts';
import type { Device } from '../../../protocol/devices.ts';
import type { BackupSet } from '../../../protocol/extensions.ts';
import { visibleDevices } from './account-devices.ts';
import { fetchEnvelope, type AccountAccess, type StoredSet } from './account-keys.ts';
import type { KnownEnvelope } from './known-envelopes.ts';

/** What a service has of the keys of an account. */
export interface ServiceEnvelopes {
  readonly devices: readonly Device[];
  /** Of the newest restore point of each set. */
  readonly envelopes: readonly KnownEnvelope[];
  /** What the run before read. */
  readonly remembered: readonly KnownEnvelope[];
}

/** A device of this account, and the sets that are read if the service lists none. */
interface Reader {
  readonly deviceId: string;
  readonly sets: readonly string[];
}

/**
 * Reads the key envelopes of the other devices of an account, and those of this device that were not read before: what it stored itself it
 * knows. Without a list of sets, the sets of the same names are read on every device.
 *
 * @param known what was read before
 * @throws what the service throws
 */
export async function readServiceEnvelopes(
  access: AccountAccess,
  { deviceId, sets }: Reader,
  known: readonly KnownEnvelope[],
  signal?: AbortSignal,
): Promise<ServiceEnvelopes> {
  const devices = await visibleDevices(access.service, signal);
  const envelopes: KnownEnvelope[] = [];
  for (const id of new Set([deviceId, ...devices.map((device) => device.id)])) {
    const listed = await listedSets(access, id, signal);
    const all = listed?.filter((set) => set.last_restore_point) ?? sets.map((name) => ({ name }));
    for (const { name, last_restore_point: newest } of all as readonly {
      name: string;
      last_restore_point?: string;
    }[]) {
      const source = { deviceId: id, backupSet: name };
      const before = known.find((one) => isSameSet(one, source));
      const isCurrent = id === deviceId || (newest !== undefined && before?.restorePoint === newest);
      if (before && isCurrent) envelopes.push(before);
      else {
        const found = await fetchReadable(access, source, signal);
        if (found) envelopes.push({ ...source, restorePoint: newest, bytes: found });
      }
    }
  }
  return { devices, envelopes, remembered: known };
}

/** Returns `undefined` if the service cannot list sets, or not to this device. */
async function listedSets(
  { service }: AccountAccess,
  deviceId: string,
  signal: AbortSignal | undefined,
): Promise<readonly BackupSet[] | undefined> {
  try {
    return await service.backupSets(deviceId, signal);
  } catch (error) {
    if (isHoldfastError(error, 'permission_denied')) return undefined;
    throw error;
  }
}

/** Returns `undefined` for an envelope that the service has lost or altered: the others count. */
async function fetchReadable(
  access: AccountAccess,
  source: StoredSet,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  try {
    return (await fetchEnvelope(access, source, signal))?.bytes;
  } catch (error) {
    const isLost = isDataFailure(error) || isHoldfastError(error, 'service_answer_suspicious') || isUnknown(error);
    if (isLost) return undefined;
    throw error;
  }
}

/** A service may answer 404 for a set that a device does not have. */
function isUnknown(error: unknown): boolean {
  return isHoldfastError(error) && 'status' in error.details && error.details.status === 404;
}

/**
 * Returns a warning for each set whose envelope was of a newer key before. A service that withholds a key, or shows an older state, is named
 * once.
 */
export function lostEnvelopes({ envelopes, remembered }: ServiceEnvelopes, ring: KeyRing): readonly RunWarning[] {
  return remembered.flatMap((before) => {
    const epoch = provenEpoch(before.bytes, ring);
    const now = envelopes.find((one) => isSameSet(one, before));
    const isLost = epoch > 1 && (now === undefined || provenEpoch(now.bytes, ring) < epoch);
    return isLost ? [{ path: before.backupSet, reason: 'key-envelope-lost' }] : [];
  });
}

/** Returns the epoch of an envelope that is of one of these keys, else 0. */
function provenEpoch(bytes: Uint8Array, ring: KeyRing): number {
  const envelope = envelopeIn(bytes);
  const key = envelope && ring.find(({ master }) => keyIdOf(master) === envelope.keyId);
  return key && isSealedBy(envelope, key.master) ? envelope.epoch : 0;
}

/** Returns `undefined` if the bytes are no envelope. */
export function envelopeIn(bytes: Uint8Array): KeyEnvelope | undefined {
  try {
    return readEnvelope(bytes);
  } catch (error) {
    if (isHoldfastError(error)) return undefined;
    throw error;
  }
}

function isSameSet(one: StoredSet, other: StoredSet): boolean {
  return one.deviceId === other.deviceId && one.backupSet === other.backupSet;
}
