import { sealToDevice, type DeviceKey } from './device-key.ts';
import {
  encodeEnvelope,
  sealEarlier,
  type EnvelopeContent,
  type EnvelopeHolder,
  type KeySlot,
  type WriterLimit,
} from './key-envelope.ts';
import type { DeviceLimit } from './device-limits.ts';
import { keyIdOf, LAST_EPOCH, newMasterKey, type KeyRing } from './keys.ts';
import { passwordSlotOf, type NewSlotOptions } from './password-slot.ts';

/** The devices that get a new key, and those that do not. */
export interface Membership {
  /** The device that seals it. It gets the key, too. */
  readonly author: DeviceKey;
  /** Public keys of the others that get it. */
  readonly members: readonly Uint8Array[];
  /** Public keys of all devices that were removed. */
  readonly revoked: readonly Uint8Array[];
  readonly writers: ReadonlyMap<string, WriterLimit>;
  /** At a service. */
  readonly devices?: ReadonlyMap<string, DeviceLimit> | undefined;
  readonly holder?: EnvelopeHolder | undefined;
}

/** What a new envelope takes over from the one before: the beginnings of epochs. */
type Before = Pick<EnvelopeContent, 'keyId' | 'since' | 'earlier'>;

export interface Rotated {
  readonly ring: KeyRing;
  readonly envelope: Buffer;
}

/**
 * Begins an epoch with a new master key, which only the members get.
 *
 * @param before of the current epoch, as far as it is known
 * @throws HoldfastError `usage` (`passphrase-empty`)
 */
export async function rotate(
  ring: KeyRing,
  before: Before | undefined,
  membership: Membership,
  {
    now,
    passphrase,
    cost,
  }: { readonly now: number; readonly passphrase?: string | undefined } & Pick<NewSlotOptions, 'cost'>,
): Promise<Rotated> {
  const epoch = ring[0].epoch + 1;
  if (epoch > LAST_EPOCH) throw new RangeError(`an account has at most ${LAST_EPOCH} epochs`);
  const master = newMasterKey();
  const passwordSlots = passphrase === undefined ? [] : [await passwordSlotOf(master, passphrase, { cost })];
  const next: KeyRing = [{ epoch, master }, ...ring];
  return { ring: next, envelope: sealRing(next, before, membership, { since: now, passwordSlots }) };
}

/**
 * Encodes the envelope of a ring's current key for the members, as that of a rotation from the key of `before`, or from the newest other one
 * in the ring.
 */
export function sealRing(
  ring: KeyRing,
  before: Before | undefined,
  { author, members, revoked, writers, devices, holder }: Membership,
  { since, passwordSlots = [] }: { readonly since: number; readonly passwordSlots?: readonly KeySlot[] },
): Buffer {
  const [{ epoch, master }, ...others] = ring;
  const keyId = keyIdOf(master);
  const recipients = unique([author.publicKey, ...members]).filter((key) => !hasKey(revoked, key));
  const previous = before?.keyId ?? (others[0] && keyIdOf(others[0].master));
  if (previous === undefined || previous === keyId) throw new RangeError('a rotation replaces another key');
  const beginnings = new Map(before?.earlier.map(({ keyId: id, since: began }) => [id, began]));
  if (before && !beginnings.has(before.keyId)) beginnings.set(before.keyId, before.since);
  const content: EnvelopeContent = {
    epoch,
    keyId,
    since,
    after: previous,
    author: author.publicKey,
    slots: [
      ...passwordSlots,
      ...recipients.map((recipient) => {
        return {
          kind: 'device' as const,
          device: recipient,
          sealed: sealToDevice(master, { keyId, author, recipient }),
        };
      }),
    ],
    earlier: sealEarlier(ring, (id) => beginnings.get(id) ?? 0),
    revoked: unique(revoked),
    writers,
    devices,
    holder,
  };
  return encodeEnvelope(content, ring);
}

export function hasKey(keys: readonly Uint8Array[], key: Uint8Array): boolean {
  return keys.some((other) => Buffer.compare(other, key) === 0);
}

export function unique(keys: readonly Uint8Array[]): readonly Uint8Array[] {
  const seen = new Set<string>();
  return keys.filter((key) => {
    const name = Buffer.from(key).toString('hex');
    return !seen.has(name) && seen.add(name);
  });
}
