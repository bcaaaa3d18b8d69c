import { openFromDevice, type DeviceKey } from './device-key.ts';
import { foldDevices } from './device-limits.ts';
import {
  isProvenBy,
  isSealedBy,
  type DeviceSlot,
  type EarlierKey,
  type EnvelopeContent,
  type KeyEnvelope,
  type WriterLimit,
} from './key-envelope.ts';
import { keyIdOf, type EpochMaster, type KeyRing, type MasterKey } from './keys.ts';
import { unique } from './rotation.ts';

/** What a computer knows before it reads the envelopes of a destination. */
export interface KeyHolder {
  readonly ring: KeyRing;
  /** `undefined` for a computer that has none: it takes no key from others. */
  readonly device: DeviceKey | undefined;
  /** Public keys of devices that were removed, here or at another destination. */
  readonly revoked: readonly Uint8Array[];
}

/** What the envelopes of one key state together. */
export interface KeyState extends Omit<EnvelopeContent, 'slots' | 'author' | 'holder'> {
  /** Public keys of the devices that have sealed it to this one: nobody else can say so. */
  readonly authors: readonly Uint8Array[];
  /** Public keys of the devices that have it; none in the first epoch, whose key everybody has. */
  readonly members: readonly Uint8Array[];
}

/** The envelopes of one key, which opens them. */
export interface KnownKey {
  readonly key: EpochMaster;
  readonly state: KeyState;
}

/** Opens the keys that this computer has or that devices gave to it, and folds the envelopes of each. */
export function openKeys(
  { ring, device }: KeyHolder,
  envelopes: readonly KeyEnvelope[],
): ReadonlyMap<string, KnownKey> {
  const masters = new Map<string, MasterKey>(ring.map(({ master }) => [keyIdOf(master), master]));
  // The envelope of a key may be the only one that another key proves.
  for (let count = 0; count !== masters.size;) {
    count = masters.size;
    for (const envelope of envelopes) {
      if (masters.has(envelope.keyId)) continue;
      const master = openOwnSlot(envelope, device);
      const previous = envelope.after === undefined ? undefined : masters.get(envelope.after);
      if (master && previous && isSealedBy(envelope, master) && isProvenBy(envelope, previous)) {
        masters.set(envelope.keyId, master);
      }
    }
  }
  const known = new Map<string, KnownKey>();
  for (const envelope of envelopes) {
    const master = masters.get(envelope.keyId);
    if (!master || !isSealedBy(envelope, master)) continue;
    const before = known.get(envelope.keyId);
    const key = before?.key ??
      ring.find((own) => keyIdOf(own.master) === envelope.keyId) ?? { epoch: envelope.epoch, master };
    if (key.epoch !== envelope.epoch) continue;
    const authors = envelope.author && openOwnSlot(envelope, device) ? [envelope.author] : [];
    const state = stateOf(envelope, authors);
    known.set(envelope.keyId, { key, state: before ? fold(before.state, state) : state });
  }
  return known;
}

/** Opens the slot of this computer, which proves the author. */
function openOwnSlot({ keyId, author, slots }: KeyEnvelope, device: DeviceKey | undefined): MasterKey | undefined {
  if (!author || !device) return undefined;
  for (const slot of slots) {
    if (slot.kind !== 'device' || Buffer.compare(slot.device, device.publicKey) !== 0) continue;
    const master = openFromDevice(slot.sealed, { keyId, author, recipient: device });
    if (master && keyIdOf(master) === keyId) return master;
  }
  return undefined;
}

function stateOf(envelope: KeyEnvelope, authors: readonly Uint8Array[]): KeyState {
  const { epoch, keyId, since, after, slots, earlier, revoked, writers, devices } = envelope;
  const members = slots.filter((slot): slot is DeviceSlot => slot.kind === 'device').map(({ device }) => device);
  return { epoch, keyId, since, after, authors, earlier, revoked, writers, devices, members: unique(members) };
}

/** Everybody who seals an envelope of a key has the key: all that they state counts. */
function fold(state: KeyState, other: KeyState): KeyState {
  const earlier = new Map<string, EarlierKey>();
  for (const key of [...state.earlier, ...other.earlier]) if (!earlier.has(key.keyId)) earlier.set(key.keyId, key);
  return {
    ...state,
    since: Math.min(state.since, other.since),
    authors: unique([...state.authors, ...other.authors]),
    members: unique([...state.members, ...other.members]),
    revoked: unique([...state.revoked, ...other.revoked]),
    earlier: [...earlier.values()],
    writers: foldWriters(state.writers, other.writers),
    devices: foldDevices(state.devices, other.devices),
  };
}

/** Unites limits: a writer's segments count from the lower epoch on, and up to the earlier end. */
export function foldWriters(
  one: ReadonlyMap<string, WriterLimit>,
  other: ReadonlyMap<string, WriterLimit>,
): ReadonlyMap<string, WriterLimit> {
  const writers = new Map(one);
  for (const [writer, limit] of other) {
    const before = writers.get(writer);
    if (!before) writers.set(writer, limit);
    else {
      const ends = [before.end, limit.end].filter((end) => end !== undefined);
      const end = ends.toSorted((a, b) => a.number - b.number || (a.hash < b.hash ? -1 : 1))[0];
      writers.set(writer, { epoch: Math.min(before.epoch, limit.epoch), end });
    }
  }
  return writers;
}
