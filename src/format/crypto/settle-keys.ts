import { openFromDevice, type DeviceKey } from './device-key.ts';
import { foldDevices, type DeviceLimit } from './device-limits.ts';
import {
  isProvenBy,
  isSealedBy,
  ringOf,
  type DeviceSlot,
  type EarlierKey,
  type EnvelopeContent,
  type KeyEnvelope,
  type WriterLimit,
} from './key-envelope.ts';
import { keyIdOf, type EpochMaster, type KeyRing, type MasterKey } from './keys.ts';
import { hasKey, unique } from './rotation.ts';

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

/** What a computer knows after it has read them. */
export interface SettledKeys {
  /** The current key, and all others that open something. */
  readonly ring: KeyRing;
  /** The state of the current key; `undefined` if the destination has no envelope of it. */
  readonly state: KeyState | undefined;
  /** The state of the newest key that the destination has an envelope of. */
  readonly newest: KeyState | undefined;
  readonly revoked: readonly Uint8Array[];
  /** The limits of all keys. */
  readonly writers: ReadonlyMap<string, WriterLimit>;
  readonly devices: ReadonlyMap<string, DeviceLimit> | undefined;
  /** True if somebody has replaced the current key and not given the new one to this computer. */
  readonly isWithdrawn: boolean;
  /**
   * What the destination lacks: an envelope that has all that this computer knows (`restate`), or a key that a removed device does not have,
   * after computers rotated at the same time (`rotate`).
   */
  readonly lacks: 'nothing' | 'restate' | 'rotate';
}

/** The envelopes of one key, which opens them. */
interface KnownKey {
  readonly key: EpochMaster;
  readonly state: KeyState;
}

/**
 * Finds the current key among the envelopes of a destination. Every computer that gets the same keys finds the same one, in
 * whatever order it reads them: of keys that were begun at the same time the one counts whose author the others have not removed, then the one of the higher
 * epoch, then the one that removes more devices, then the one with the smaller id. A computer that has taken a key no longer listens to
 * devices that this key left out.
 */
export function settleKeys(holder: KeyHolder, envelopes: readonly KeyEnvelope[]): SettledKeys {
  const known = openAll(holder, envelopes);
  let current = holder.ring[0];
  let state = known.get(keyIdOf(current.master))?.state;
  for (;;) {
    const better = betterThan(current, state, holder, known);
    if (!better) break;
    current = better.key;
    state = better.state;
  }
  const currentId = keyIdOf(current.master);
  const revoked = unique([...holder.revoked, ...(state?.revoked ?? [])]);
  const others = new Map(holder.ring.map((key) => [keyIdOf(key.master), key]));
  if (state) for (const key of ringOf(state, current.master)) others.set(keyIdOf(key.master), key);
  const rivals = [...known.values()].filter(
    (rival) => rival.key !== current && (others.has(rival.state.keyId) || isAdmissible(rival.state, state, revoked)),
  );
  for (const { key, state: rival } of rivals) others.set(rival.keyId, key);
  others.delete(currentId);
  const ring: KeyRing = [current, ...[...others.values()].sort((a, b) => b.epoch - a.epoch)];
  return {
    ring,
    state,
    newest: state ?? rivals.map((rival) => rival.state).sort(compare)[0],
    revoked,
    writers: rivals.reduce((all, { state: rival }) => foldWriters(all, rival.writers), state?.writers ?? new Map()),
    devices: rivals.reduce((all, { state: rival }) => foldDevices(all, rival.devices), state?.devices),
    isWithdrawn: envelopes.some((envelope) => isClosed(envelope, current, known)),
    lacks: lackOf(state, { ring, revoked, rivals: rivals.map((rival) => rival.state) }),
  };
}

/** Opens the keys that this computer has or that devices gave to it, and folds the envelopes of each. */
function openAll({ ring, device }: KeyHolder, envelopes: readonly KeyEnvelope[]): ReadonlyMap<string, KnownKey> {
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

/** The best key that may replace the current one. */
function betterThan(
  current: EpochMaster,
  state: KeyState | undefined,
  { revoked }: KeyHolder,
  known: ReadonlyMap<string, KnownKey>,
): KnownKey | undefined {
  const currentId = keyIdOf(current.master);
  const own = state ?? { keyId: currentId, epoch: current.epoch, authors: [], revoked: [] };
  return [...known.values()]
    .filter(({ state: other }) => {
      if (other.keyId === currentId) return false;
      if (other.after === currentId) return other.epoch > current.epoch;
      // Begun from an earlier key, which a removed device may have, too.
      return isAdmissible(other, state, revoked) && compare(other, own) < 0;
    })
    .sort((a, b) => compare(a.state, b.state))[0];
}

/** Returns whether a key that was begun beside the current one counts: its author has the current one. */
function isAdmissible(
  { authors, after }: KeyState,
  state: KeyState | undefined,
  revoked: readonly Uint8Array[],
): boolean {
  if (after === undefined || !state) return false;
  return authors.some((author) => !hasKey(revoked, author) && hasKey(state.members, author));
}

type Ranked = Pick<KeyState, 'keyId' | 'epoch' | 'authors' | 'revoked'>;

/** Orders keys of which one has to count: the first one does. */
function compare(a: Ranked, b: Ranked): number {
  const removes = (one: Ranked, other: Ranked): boolean => other.authors.some((author) => hasKey(one.revoked, author));
  return (
    Number(removes(b, a)) - Number(removes(a, b)) ||
    b.epoch - a.epoch ||
    b.revoked.length - a.revoked.length ||
    (a.keyId < b.keyId ? -1 : Number(a.keyId > b.keyId))
  );
}

/** Returns whether an envelope replaces the current key by one that this computer does not get. */
function isClosed(envelope: KeyEnvelope, current: EpochMaster, known: ReadonlyMap<string, KnownKey>): boolean {
  return !known.has(envelope.keyId) && envelope.epoch > current.epoch && isProvenBy(envelope, current.master);
}

function lackOf(
  state: KeyState | undefined,
  {
    ring,
    revoked,
    rivals,
  }: { readonly ring: KeyRing; readonly revoked: readonly Uint8Array[]; readonly rivals: readonly KeyState[] },
): SettledKeys['lacks'] {
  if (!state) return ring.length === 1 && rivals.length === 0 ? 'nothing' : 'restate';
  const removed = [...revoked, ...rivals.flatMap((rival) => rival.revoked)];
  if (removed.some((key) => hasKey(state.members, key))) return 'rotate';
  if (state.epoch === 1) return 'nothing';
  const listed = new Set(state.earlier.map(({ keyId }) => keyId));
  const isListed = ring.slice(1).every(({ master }) => listed.has(keyIdOf(master)));
  const hasWriters = rivals.every(({ writers }) => [...writers.keys()].every((writer) => state.writers.has(writer)));
  return isListed && hasWriters ? 'nothing' : 'restate';
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
