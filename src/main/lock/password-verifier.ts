import { randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { deriveArgon2id } from '../../base/crypto/argon2id.ts';
import type { Argon2idCost } from '../../base/crypto/argon2id.ts';

/**
 * An Argon2id hash (RFC 9106) with its cost parameters, so that later versions can raise them. The bounds keep a file that
 * was tampered with from exhausting the memory.
 */
export const passwordVerifier = z
  .object({
    kind: z.literal('argon2id'),
    memoryKib: z.int().min(8).max(262_144),
    iterations: z.int().min(1).max(16),
    parallelism: z.int().min(1).max(4),
    salt: z.base64(),
    hash: z.base64(),
  })
  .refine(({ memoryKib, parallelism }) => memoryKib >= 8 * parallelism)
  .refine(({ salt, hash }) => bytesOf(salt).length >= 8 && bytesOf(hash).length === HASH_BYTES);
export type PasswordVerifier = Readonly<z.infer<typeof passwordVerifier>>;

/** Takes about a tenth of a second, in the main process, which is idle at that moment. */
const COST: Argon2idCost = { memoryKib: 32 * 1024, iterations: 3, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** @param cost lowered by tests only */
export async function verifierOf(password: string, cost = COST): Promise<PasswordVerifier> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await deriveArgon2id(password, salt, cost, HASH_BYTES);
  return { kind: 'argon2id', ...cost, salt: salt.toString('base64'), hash: Buffer.from(hash).toString('base64') };
}

/** Takes the same time for every wrong password. */
export async function isRightPassword(password: string, verifier: PasswordVerifier): Promise<boolean> {
  const hash = await deriveArgon2id(password, bytesOf(verifier.salt), verifier, HASH_BYTES);
  return timingSafeEqual(hash, bytesOf(verifier.hash));
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}
