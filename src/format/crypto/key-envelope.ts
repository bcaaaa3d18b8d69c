import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { hmacSha256 } from '../../base/crypto/hmac.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { DEVICE_KEY_BYTES, SEALED_TO_DEVICE_BYTES } from './device-key.ts';
import type { DeviceLimit, SetEnd } from './device-limits.ts';
import { deriveSubKey, keyIdOf, keyRingOf, LAST_EPOCH, type KeyRing, type Keys, type MasterKey } from './keys.ts';
import {
  base64,
  parsePasswordSlot,
  passwordSlotForm,
  passwordSlotOf,
  type NewSlotOptions,
  type PasswordSlot,
} from './password-slot.ts';
import { openMaster, SEALED_MASTER_BYTES, sealMaster } from './sealed-master.ts';
import { MIB } from '../../model/units.ts';

/** The master key, sealed to the key pair of a device. */
export interface DeviceSlot {
  readonly kind: 'device';
  /** Public key. */
  readonly device: Uint8Array;
  readonly sealed: Uint8Array;
}

export type KeySlot = PasswordSlot | DeviceSlot;

/** The master key of another epoch, sealed under this one. */
export interface EarlierKey {
  readonly epoch: number;
  readonly keyId: string;
  /** When its epoch began; milliseconds since the epoch of computers, 0 for the first. */
  readonly since: number;
  readonly sealed: Uint8Array;
}

/** Which segments of a writer of a repository count, see docs/repository.md. */
export interface WriterLimit {
  /** Segments in this epoch and in later ones count. */
  readonly epoch: number;
  /** Of a writer that was removed: the last segment that counts, and the checkpoints; hex SHA-256 of the files. */
  readonly end?:
    | { readonly number: number; readonly hash: string; readonly checkpoints: readonly string[] }
    | undefined;
}

/** The device of a service in whose backups an envelope lies. */
export interface EnvelopeHolder {
  /** Its id there. */
  readonly device: string;
  /** Public key. */
  readonly key: Uint8Array;
}

/**
 * The content of `/.holdfast/keys`: identifies the master key of an epoch, and holds it sealed by each means that opens it, with those
 * of earlier epochs sealed under it. Without slots it contains nothing that anybody could open without the master key. Its own chunk is
 * sealed with `envelopeKey`.
 */
export interface EnvelopeContent {
  readonly epoch: number;
  /** `keyIdOf` the master key. */
  readonly keyId: string;
  /** When the epoch began; 0 for the first. */
  readonly since: number;
  /** Id of the master key that this one replaces; `undefined` in the first epoch. */
  readonly after: string | undefined;
  /** Public key of the device that rotated. */
  readonly author: Uint8Array | undefined;
  readonly slots: readonly KeySlot[];
  readonly earlier: readonly EarlierKey[];
  /** Public keys of devices that were removed, in this epoch or before. */
  readonly revoked: readonly Uint8Array[];
  readonly writers: ReadonlyMap<string, WriterLimit>;
  /** At a service: its devices, by their ids. */
  readonly devices?: ReadonlyMap<string, DeviceLimit> | undefined;
  /** At a service. */
  readonly holder?: EnvelopeHolder | undefined;
}

/** An envelope that was read. Nobody has proven it before `isSealedBy`. */
export interface KeyEnvelope extends EnvelopeContent {
  /** The bytes that `mac` and `proof` cover. */
  readonly body: Buffer;
  readonly mac: Buffer;
  /** Made with the master key that this one replaces. */
  readonly proof: Buffer | undefined;
}

/** An envelope comes from the destination, so its size is bounded. */
export const LARGEST_ENVELOPE_BYTES = MIB;
const MOST_SLOTS = 1024;

const keyId = z.string().regex(/^[0-9a-f]{32}$/);
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const epoch = z.int().min(1).max(LAST_EPOCH);
const time = z.int().nonnegative();
const publicKey = base64.refine((key) => key.length === DEVICE_KEY_BYTES);
const deviceSlot = z.object({
  kind: z.literal('device'),
  device: publicKey,
  sealed: base64.refine((sealed) => sealed.length === SEALED_TO_DEVICE_BYTES),
});
const writerLimit = z.union([
  z.tuple([epoch]),
  z.tuple([epoch, z.int().nonnegative(), digest, z.array(digest).max(16)]),
]);
const deviceId = z.string().min(1).max(512);
const setEnd = z
  .tuple([z.string().max(500), z.int().nonnegative(), digest, z.int(), z.int()])
  .transform(([set, sequence, tree, created, at]): SetEnd => ({ set, sequence, tree, created, time: at }));
const deviceLimit = z.union([z.tuple([deviceId, epoch]), z.tuple([deviceId, epoch, z.array(setEnd).max(MOST_SLOTS)])]);
const form = z.object({
  version: z.literal(1),
  epoch,
  key_id: keyId,
  since: time,
  after: keyId.nullable(),
  author: publicKey.nullable(),
  slots: z.array(z.unknown()).max(MOST_SLOTS),
  earlier: z
    .array(
      z.object({
        epoch,
        key_id: keyId,
        since: time,
        sealed: base64.refine((sealed) => sealed.length === SEALED_MASTER_BYTES),
      }),
    )
    .max(MOST_SLOTS),
  revoked: z.array(publicKey).max(MOST_SLOTS),
  writers: z.record(keyId, writerLimit),
  devices: z.array(deviceLimit).max(MOST_SLOTS).optional(),
  holder: z.object({ device: deviceId, key: publicKey }).optional(),
});

const LAYOUT = /^\{"envelope":(\{.*\}),"mac":"([0-9a-f]{64})"(?:,"proof":"([0-9a-f]{64})")?\} *$/s;

/** Encodes the envelope of an account that never rotated, with a slot if a passphrase is given. */
export async function createEnvelope(
  master: MasterKey,
  { passphrase, cost }: { readonly passphrase?: string | undefined } & Pick<NewSlotOptions, 'cost'> = {},
): Promise<Buffer> {
  const content: EnvelopeContent = {
    epoch: 1,
    keyId: keyIdOf(master),
    since: 0,
    after: undefined,
    author: undefined,
    slots: passphrase === undefined ? [] : [await passwordSlotOf(master, passphrase, { cost })],
    earlier: [],
    revoked: [],
    writers: new Map(),
  };
  return encodeEnvelope(content, keyRingOf(master));
}

/** @param ring with the master key of the envelope, and the one that it replaces */
export function encodeEnvelope(content: EnvelopeContent, ring: KeyRing): Buffer {
  const body = JSON.stringify(formOf(content));
  const { after } = content;
  const mac = macOf(masterWith(ring, content.keyId), Buffer.from(body, 'utf8'));
  const proof = after === undefined ? undefined : proofOf(masterWith(ring, after), Buffer.from(body, 'utf8'));
  const end = proof ? `,"proof":"${proof.toString('hex')}"` : '';
  const text = `{"envelope":${body},"mac":"${mac.toString('hex')}"${end}}`;
  if (text.length > LARGEST_ENVELOPE_BYTES) throw new RangeError('a key envelope has at most 1 MiB');
  return Buffer.from(text, 'utf8');
}

/**
 * Reads an envelope without opening it. A slot of an unknown kind, or a malformed one, is left out.
 *
 * @throws HoldfastError `service_answer_suspicious` with details `{problem: 'key-envelope'}`
 */
export function readEnvelope(bytes: Uint8Array): KeyEnvelope {
  try {
    if (bytes.length > LARGEST_ENVELOPE_BYTES) throw new RangeError('too long');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const [, body, mac, proof] = LAYOUT.exec(text) ?? [];
    const parsed = form.parse(JSON.parse(body ?? ''));
    const slots = parsed.slots.map(slotOf).filter((slot) => slot !== undefined);
    return {
      epoch: parsed.epoch,
      keyId: parsed.key_id,
      since: parsed.since,
      after: parsed.after ?? undefined,
      author: parsed.author ?? undefined,
      slots,
      earlier: parsed.earlier.map(({ key_id: id, ...earlier }) => ({ ...earlier, keyId: id })),
      revoked: parsed.revoked,
      writers: new Map(
        Object.entries(parsed.writers).map(([writer, [first, number, hash, checkpoints]]) => [
          writer,
          { epoch: first, end: number === undefined ? undefined : { number, hash: hash!, checkpoints: checkpoints! } },
        ]),
      ),
      devices: parsed.devices && new Map(parsed.devices.map(([id, first, ends]) => [id, { epoch: first, ends }])),
      holder: parsed.holder,
      body: Buffer.from(body!, 'utf8'),
      mac: Buffer.from(mac!, 'hex'),
      proof: proof === undefined ? undefined : Buffer.from(proof, 'hex'),
    };
  } catch (cause) {
    throw new HoldfastError('service_answer_suspicious', { problem: 'key-envelope' }, { cause });
  }
}

/** Returns the slots that a passphrase, or a code, opens. */
export function passwordSlotsOf({ slots }: EnvelopeContent, kind: PasswordSlot['kind']): readonly PasswordSlot[] {
  return slots.filter((slot): slot is PasswordSlot => slot.kind === kind);
}

/** Returns whether an envelope is of this master key, and unaltered since somebody who has the key made it. */
export function isSealedBy(envelope: KeyEnvelope, master: MasterKey): boolean {
  return keyIdOf(master) === envelope.keyId && timingSafeEqual(macOf(master, envelope.body), envelope.mac);
}

/** Returns whether somebody made an envelope who had the master key that it replaces. */
export function isProvenBy({ body, proof, after }: KeyEnvelope, previous: MasterKey): boolean {
  return keyIdOf(previous) === after && proof !== undefined && timingSafeEqual(proofOf(previous, body), proof);
}

/** Returns all master keys that an envelope opens with its own: the current one, then the earlier ones. */
export function ringOf(
  { epoch: current, keyId: id, earlier }: Pick<EnvelopeContent, 'epoch' | 'keyId' | 'earlier'>,
  master: MasterKey,
): KeyRing {
  const key = deriveSubKey(master, 'earlier');
  const opened = earlier.flatMap(({ epoch: before, keyId: other, sealed }) => {
    const found = before <= current ? openMaster(key, sealed, earlierContext(before, other, id)) : undefined;
    return found && keyIdOf(found) === other ? [{ epoch: before, master: found }] : [];
  });
  return [{ epoch: current, master }, ...opened.sort((a, b) => b.epoch - a.epoch)];
}

/** Seals the other keys of a ring under its first one. @param sinceOf when the epoch of a key began, by the key's id */
export function sealEarlier([current, ...others]: KeyRing, sinceOf: (keyId: string) => number): EarlierKey[] {
  const id = keyIdOf(current.master);
  const key = deriveSubKey(current.master, 'earlier');
  return others.map(({ epoch: before, master }) => {
    const other = keyIdOf(master);
    const sealed = sealMaster(key, master, earlierContext(before, other, id));
    return { epoch: before, keyId: other, since: sinceOf(other), sealed };
  });
}

/** Returns whether an envelope is of one of these keys, to recognise the recovery phrase of another account. */
export function envelopeFits(envelope: KeyEnvelope, keys: Pick<Keys, 'ids'>): boolean {
  return keys.ids.includes(envelope.keyId);
}

function slotOf(value: unknown): KeySlot | undefined {
  return deviceSlot.safeParse(value).data ?? parsePasswordSlot(value);
}

function formOf({
  slots,
  earlier,
  revoked,
  writers,
  author,
  after,
  devices,
  holder,
  ...content
}: EnvelopeContent): z.input<typeof form> {
  return {
    version: 1,
    epoch: content.epoch,
    key_id: content.keyId,
    since: content.since,
    after: after ?? null,
    author: author ? textOf(author) : null,
    slots: slots.map((slot) =>
      slot.kind === 'device'
        ? { kind: 'device', device: textOf(slot.device), sealed: textOf(slot.sealed) }
        : passwordSlotForm(slot),
    ),
    earlier: earlier.map(({ epoch: before, keyId: id, since, sealed }) => ({
      epoch: before,
      key_id: id,
      since,
      sealed: textOf(sealed),
    })),
    revoked: revoked.map(textOf),
    writers: Object.fromEntries(
      Array.from(writers, ([writer, { epoch: first, end }]) => [
        writer,
        end ? [first, end.number, end.hash, [...end.checkpoints]] : [first],
      ]),
    ),
    ...(devices && { devices: Array.from(devices, deviceFormOf) }),
    ...(holder && { holder: { device: holder.device, key: textOf(holder.key) } }),
  };
}

function deviceFormOf([id, { epoch: first, ends }]: readonly [string, DeviceLimit]): z.input<typeof deviceLimit> {
  if (!ends) return [id, first];
  return [id, first, ends.map(({ set, sequence, tree, created, time: at }) => [set, sequence, tree, created, at])];
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function masterWith(ring: KeyRing, id: string): MasterKey {
  const found = ring.find(({ master }) => keyIdOf(master) === id);
  if (!found) throw new RangeError(`no master key ${id}`);
  return found.master;
}

function macOf(master: MasterKey, body: Buffer): Buffer {
  return hmacSha256(deriveSubKey(master, 'envelope'), Buffer.concat([Buffer.from('holdfast/v1/envelope\n'), body]));
}

function proofOf(previous: MasterKey, body: Buffer): Buffer {
  return hmacSha256(deriveSubKey(previous, 'rotation'), Buffer.concat([Buffer.from('holdfast/v1/rotation\n'), body]));
}

function earlierContext(before: number, id: string, under: string): string {
  return `holdfast/v1/earlier/${before}/${id}/${under}`;
}
