import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { deriveArgon2id, type Argon2idCost } from '../../base/crypto/argon2id.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { slotContext } from './device-key.ts';
import { keyIdOf, type MasterKey } from './keys.ts';
import { openMaster, SEALED_MASTER_BYTES, sealMaster } from './sealed-master.ts';

/** A master key sealed by AES-256-GCM with a key that Argon2id (RFC 9106) derives from a passphrase or a one-time code. */
export interface PasswordSlot {
  readonly kind: 'passphrase' | 'code';
  /** The time at which a code expires, in milliseconds since the epoch. */
  readonly expires?: number | undefined;
  readonly cost: Argon2idCost;
  readonly salt: Uint8Array;
  /** IV (12) ‖ sealed master key (32) ‖ tag (16) */
  readonly sealed: Uint8Array;
}

/** The cost of a new slot, about half a second. */
const COST: Argon2idCost = { memoryKib: 262_144, iterations: 3, parallelism: 1 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;

export const base64 = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));

/** The most that a slot may cost, in KiB times iterations: four iterations of 1 GiB. New slots cost a fifth. */
export const LARGEST_SLOT_COST = 4 * 1_048_576;

/** What an attempt to open a slot costs, in KiB times iterations. */
export function slotCost({ cost: { memoryKib, iterations } }: PasswordSlot): number {
  return memoryKib * iterations;
}

/** The costs come from the service, so they are bounded. */
const form = z
  .object({
    kind: z.enum(['passphrase', 'code']),
    expires: z.int().nonnegative().optional(),
    kdf: z.literal('argon2id'),
    memory_kib: z.int().min(8).max(1_048_576),
    iterations: z.int().min(1).max(16),
    parallelism: z.int().min(1).max(16),
    salt: base64.refine((salt) => salt.length >= 8 && salt.length <= 64),
    sealed: base64.refine((sealed) => sealed.length === SEALED_MASTER_BYTES),
  })
  .refine((slot) => slot.memory_kib >= 8 * slot.parallelism, 'Argon2 needs 8 KiB for each lane')
  .refine((slot) => slot.memory_kib * slot.iterations <= LARGEST_SLOT_COST, 'too costly')
  .refine((slot) => (slot.kind === 'code') === (slot.expires !== undefined), 'only a code expires');

/** Parses the JSON of a slot. Returns `undefined` if it is malformed or its costs are too high. */
export function parsePasswordSlot(value: unknown): PasswordSlot | undefined {
  const { data } = form.safeParse(value);
  if (!data) return undefined;
  const { kind, expires, memory_kib: memoryKib, iterations, parallelism, salt, sealed } = data;
  return { kind, expires, cost: { memoryKib, iterations, parallelism }, salt, sealed };
}

/** Returns the JSON of a slot. */
export function passwordSlotForm({ kind, expires, cost, salt, sealed }: PasswordSlot): z.input<typeof form> {
  return {
    kind,
    ...(expires === undefined ? {} : { expires }),
    kdf: 'argon2id',
    memory_kib: cost.memoryKib,
    iterations: cost.iterations,
    parallelism: cost.parallelism,
    salt: Buffer.from(salt).toString('base64'),
    sealed: Buffer.from(sealed).toString('base64'),
  };
}

export interface NewSlotOptions {
  /** The time at which a code expires, in milliseconds since the epoch. `undefined` for a passphrase. */
  readonly expires?: number | undefined;
  /** Lowered by tests only. */
  readonly cost?: Argon2idCost | undefined;
}

/** @throws HoldfastError `usage` (`passphrase-empty`) */
export async function passwordSlotOf(
  master: MasterKey,
  password: string,
  { expires, cost = COST }: NewSlotOptions = {},
): Promise<PasswordSlot> {
  if (password === '') throw new HoldfastError('usage', { problem: 'passphrase-empty' });
  const salt = randomBytes(SALT_BYTES);
  const key = await deriveArgon2id(password, salt, cost, KEY_BYTES);
  const sealed = sealMaster(key, master, slotContext(keyIdOf(master)));
  return { kind: expires === undefined ? 'passphrase' : 'code', expires, cost, salt, sealed };
}

/** Returns the master key if the password opens the slot to the key with this id. */
export async function openPasswordSlot(
  { cost, salt, sealed }: PasswordSlot,
  keyId: string,
  password: string,
): Promise<MasterKey | undefined> {
  const key = await deriveArgon2id(password, salt, cost, KEY_BYTES);
  const master = openMaster(key, sealed, slotContext(keyId));
  return master && keyIdOf(master) === keyId ? master : undefined;
}
