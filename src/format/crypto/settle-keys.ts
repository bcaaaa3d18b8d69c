import { foldDevices, type DeviceLimit } from './device-limits.ts';
import { isProvenBy, ringOf, type KeyEnvelope, type WriterLimit } from './key-envelope.ts';
import { keyIdOf, type EpochMaster, type KeyRing } from './keys.ts';
import { foldWriters, openKeys, type KeyHolder, type KeyState, type KnownKey } from './known-keys.ts';
import { hasKey, unique } from './rotation.ts';

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

/** What decides between two keys. */
type Ranked = Pick<KeyState, 'keyId' | 'epoch' | 'authors' | 'revoked'>;

/**
 * Finds the current key among the envelopes of a destination. Every computer that gets the same keys finds the same one, in
 * whatever order it reads them. A computer that has taken a key no longer listens to devices that this key left out.
 */
export function settleKeys(holder: KeyHolder, envelopes: readonly KeyEnvelope[]): SettledKeys {
  const known = openKeys(holder, envelopes);
  const { key: current, state } = currentKey(holder, known);
  const revoked = unique([...holder.revoked, ...(state?.revoked ?? [])]);
  const others = new Map(holder.ring.map((key) => [keyIdOf(key.master), key]));
  if (state) for (const key of ringOf(state, current.master)) others.set(keyIdOf(key.master), key);
  const rivals = [...known.values()].filter(
    (rival) => rival.key !== current && (others.has(rival.state.keyId) || isRival(rival.state, state, revoked)),
  );
  for (const { key, state: rival } of rivals) others.set(rival.keyId, key);
  others.delete(keyIdOf(current.master));
  const ring: KeyRing = [current, ...[...others.values()].sort((a, b) => b.epoch - a.epoch)];
  return {
    ring,
    state,
    newest: state ?? rivals.map((rival) => rival.state).sort(byPrecedence)[0],
    revoked,
    writers: rivals.reduce((all, { state: rival }) => foldWriters(all, rival.writers), state?.writers ?? new Map()),
    devices: rivals.reduce((all, { state: rival }) => foldDevices(all, rival.devices), state?.devices),
    isWithdrawn: envelopes.some((envelope) => isReplacedBy(envelope, current, known)),
    lacks: lackOf(state, { ring, revoked, rivals: rivals.map((rival) => rival.state) }),
  };
}

/** Goes from the key that this computer has to the one that counts, replacement by replacement. */
function currentKey(
  { ring, revoked }: KeyHolder,
  known: ReadonlyMap<string, KnownKey>,
): { readonly key: EpochMaster; readonly state: KeyState | undefined } {
  let [key] = ring;
  let state = known.get(keyIdOf(key.master))?.state;
  for (;;) {
    const own: Ranked = state ?? { keyId: keyIdOf(key.master), epoch: key.epoch, authors: [], revoked: [] };
    const next = replacementOf(own, state, revoked, known);
    if (!next) return { key, state };
    ({ key, state } = next);
  }
}

/** Returns the best key that replaces a key, of which `state` is undefined if the destination has no envelope of it. */
function replacementOf(
  own: Ranked,
  state: KeyState | undefined,
  revoked: readonly Uint8Array[],
  known: ReadonlyMap<string, KnownKey>,
): KnownKey | undefined {
  return [...known.values()]
    .filter(({ state: other }) =>
      isAfter(other, own) ? other.epoch > own.epoch : isRival(other, state, revoked) && counts(other, own),
    )
    .sort((one, other) => byPrecedence(one.state, other.state))[0];
}

/** Returns whether a key says that it was begun in place of another one. */
function isAfter(key: KeyState, other: Ranked): boolean {
  return key.after === other.keyId;
}

/**
 * Returns whether a key may count that was begun at the same time as the current one, from an earlier key. A removed device may have that, too,
 * so one of the authors has to have the current key.
 */
function isRival({ authors, after }: KeyState, current: KeyState | undefined, revoked: readonly Uint8Array[]): boolean {
  if (after === undefined || !current) return false;
  return authors.some((author) => !hasKey(revoked, author) && hasKey(current.members, author));
}

/** Returns whether the first of two keys counts. */
function counts(key: Ranked, other: Ranked): boolean {
  return key.keyId !== other.keyId && byPrecedence(key, other) < 0;
}

/**
 * Sorts the key that counts first, of keys that were begun at the same time: the one whose author the other has not removed, then the one of the
 * higher epoch, then the one that removes more devices, then the one with the smaller id.
 */
function byPrecedence(a: Ranked, b: Ranked): number {
  const isRemovedByA = hasRemovedAuthorOf(a, b);
  if (isRemovedByA !== hasRemovedAuthorOf(b, a)) return isRemovedByA ? -1 : 1;
  if (a.epoch !== b.epoch) return b.epoch - a.epoch;
  if (a.revoked.length !== b.revoked.length) return b.revoked.length - a.revoked.length;
  return a.keyId < b.keyId ? -1 : Number(a.keyId > b.keyId);
}

function hasRemovedAuthorOf({ revoked }: Ranked, other: Ranked): boolean {
  return other.authors.some((author) => hasKey(revoked, author));
}

/** Returns whether an envelope replaces the current key by one that this computer does not get. */
function isReplacedBy(envelope: KeyEnvelope, current: EpochMaster, known: ReadonlyMap<string, KnownKey>): boolean {
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
