import { randomBytes, timingSafeEqual } from 'node:crypto';
import { argon2id } from 'hash-wasm';
import { z } from 'zod';

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

type Cost = Pick<PasswordVerifier, 'memoryKib' | 'iterations' | 'parallelism'>;

/** Takes about a tenth of a second, in the main process, which is idle at that moment. */
const COST: Cost = { memoryKib: 32 * 1024, iterations: 3, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

export async function verifierOf(password: string): Promise<PasswordVerifier> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await stretch(password, COST, salt);
  return { kind: 'argon2id', ...COST, salt: salt.toString('base64'), hash: Buffer.from(hash).toString('base64') };
}

/** Takes the same time for every wrong password. */
export async function isRightPassword(password: string, verifier: PasswordVerifier): Promise<boolean> {
  const hash = await stretch(password, verifier, bytesOf(verifier.salt));
  return timingSafeEqual(hash, bytesOf(verifier.hash));
}

/** Normalises to NFKC, so that the keyboard makes no difference. */
function stretch(
  password: string,
  { memoryKib, iterations, parallelism }: Cost,
  salt: Uint8Array,
): Promise<Uint8Array> {
  return argon2id({
    password: password.normalize('NFKC'),
    salt,
    memorySize: memoryKib,
    iterations,
    parallelism,
    hashLength: HASH_BYTES,
    outputType: 'binary',
  });
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}
