import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { deriveArgon2id, type Argon2idCost } from '../../base/crypto/argon2id.ts';
import { HoldfastError } from '../../base/errors.ts';
import { deriveKeys, MASTER_KEY_BYTES, type Keys, type MasterKey } from './keys.ts';

/**
 * The content of `/.holdfast/keys`: identifies the master key of a set's chunks, and holds that key sealed by each means
 * that its owner chose to open it. Without a slot it contains nothing secret. Its own chunk is sealed with
 * ENVELOPE_CHUNK_KEY.
 */
export interface KeyEnvelope {
  readonly version: 1;
  /** `Keys.id` of the master key. */
  readonly keyId: string;
  /** Slots of unknown kinds are skipped. */
  readonly slots: readonly PassphraseSlot[];
}

/** The master key sealed with a passphrase: by AES-256-GCM with a key that Argon2id (RFC 9106) derives. */
export interface PassphraseSlot {
  readonly kind: 'passphrase';
  readonly memoryKib: number;
  readonly iterations: number;
  readonly parallelism: number;
  readonly salt: Uint8Array;
  /** IV (12) ‖ sealed master key (32) ‖ tag (16) */
  readonly sealed: Uint8Array;
}

const COST = { memoryKib: 262_144, iterations: 3, parallelism: 1 } as const;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED_BYTES = IV_BYTES + MASTER_KEY_BYTES + TAG_BYTES;

/** An envelope comes from the service, so its size and costs are bounded. */
const MAX_ENVELOPE_BYTES = 64 * 1024;
const base64 = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));
const passphraseSlot = z
  .object({
    kind: z.literal('passphrase'),
    kdf: z.literal('argon2id'),
    memory_kib: z.int().min(8).max(1_048_576),
    iterations: z.int().min(1).max(16),
    parallelism: z.int().min(1).max(16),
    salt: base64.refine((salt) => salt.length >= 8 && salt.length <= 64),
    sealed: base64.refine((sealed) => sealed.length === SEALED_BYTES),
  })
  .refine((slot) => slot.memory_kib >= 8 * slot.parallelism, 'Argon2 needs 8 KiB for each lane');
const envelopeForm = z.object({
  version: z.literal(1),
  key_id: z.string().regex(/^[0-9a-f]{32}$/),
  slots: z.array(z.looseObject({ kind: z.string() })).max(64),
});

/** Encodes the envelope of a master key, with a new slot if a passphrase is given. */
export async function createEnvelope(
  master: MasterKey,
  options: { readonly passphrase?: string | undefined } = {},
): Promise<Buffer> {
  const keyId = deriveKeys(master).id;
  const slots = options.passphrase === undefined ? [] : [await passphraseSlotOf(master, keyId, options.passphrase)];
  return Buffer.from(JSON.stringify({ version: 1, key_id: keyId, slots }), 'utf8');
}

/**
 * Reads an envelope without opening it.
 *
 * @throws HoldfastError `service_answer_suspicious` with details `{problem: 'key-envelope'}`
 */
export function readEnvelope(bytes: Uint8Array): KeyEnvelope {
  try {
    if (bytes.length > MAX_ENVELOPE_BYTES) throw new RangeError('too long');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const form = envelopeForm.parse(JSON.parse(text));
    const slots = form.slots.filter((slot) => slot.kind === 'passphrase').map((slot) => passphraseSlot.parse(slot));
    return { version: form.version, keyId: form.key_id, slots: slots.map(slotOf) };
  } catch (cause) {
    throw new HoldfastError('service_answer_suspicious', { problem: 'key-envelope' }, { cause });
  }
}

/**
 * Opens the master key with a passphrase.
 *
 * @throws HoldfastError `passphrase_wrong`; `phrase_needed` if no slot takes a passphrase
 */
export async function openEnvelope(envelope: KeyEnvelope, passphrase: string): Promise<MasterKey> {
  if (envelope.slots.length === 0) throw new HoldfastError('phrase_needed');
  // No slot has an empty passphrase, and Argon2id rejects it.
  if (passphrase === '') throw new HoldfastError('passphrase_wrong');
  for (const slot of envelope.slots) {
    const key = await stretch(passphrase, slot);
    const master = unwrap(key, slot.sealed, envelope.keyId);
    if (master && envelopeFits(envelope, deriveKeys(master))) return master;
  }
  throw new HoldfastError('passphrase_wrong');
}

/** Returns whether keys belong to the envelope's account, to recognise the recovery phrase of another account. */
export function envelopeFits(envelope: KeyEnvelope, keys: Keys): boolean {
  return envelope.keyId === keys.id;
}

function slotOf(form: z.infer<typeof passphraseSlot>): PassphraseSlot {
  const { kind, memory_kib: memoryKib, iterations, parallelism, salt, sealed } = form;
  return { kind, memoryKib, iterations, parallelism, salt, sealed };
}

async function passphraseSlotOf(master: MasterKey, keyId: string, passphrase: string): Promise<unknown> {
  if (passphrase === '') throw new HoldfastError('usage', { problem: 'passphrase-empty' });
  const salt = randomBytes(SALT_BYTES);
  const key = await stretch(passphrase, { ...COST, salt });
  return {
    kind: 'passphrase',
    kdf: 'argon2id',
    memory_kib: COST.memoryKib,
    iterations: COST.iterations,
    parallelism: COST.parallelism,
    salt: salt.toString('base64'),
    sealed: wrap(key, master, keyId).toString('base64'),
  };
}

function stretch(
  passphrase: string,
  { salt, ...cost }: Argon2idCost & Pick<PassphraseSlot, 'salt'>,
): Promise<Uint8Array> {
  return deriveArgon2id(passphrase, salt, cost, KEY_BYTES);
}

function wrap(key: Uint8Array, master: MasterKey, keyId: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(boundTo(keyId));
  return Buffer.concat([iv, cipher.update(master), cipher.final(), cipher.getAuthTag()]);
}

function unwrap(key: Uint8Array, sealed: Uint8Array, keyId: string): MasterKey | undefined {
  const iv = sealed.subarray(0, IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(boundTo(keyId));
  decipher.setAuthTag(sealed.subarray(SEALED_BYTES - TAG_BYTES));
  const master = decipher.update(sealed.subarray(IV_BYTES, SEALED_BYTES - TAG_BYTES));
  try {
    decipher.final();
    return master;
  } catch {
    return undefined;
  }
}

function boundTo(keyId: string): Buffer {
  return Buffer.from(`holdfast/v1/slot/${keyId}`, 'utf8');
}
