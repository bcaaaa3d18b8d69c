import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Argon2idCost } from '../../../base/crypto/argon2id.ts';
import { ThreadPool } from '../../../base/limits/thread-pool.ts';
import type { PasswordTasks } from './password-thread.ts';

const TAG_BYTES = 32;
const SALT_BYTES = 16;

/** Each thread needs the memory of a hash, so sign-ins wait for one of them. */
const THREADS = 2;

/** Returns the encoded form ($argon2id$v=19$…) with salt and parameters. */
export async function hashPassword(password: string, cost: Argon2idCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(password, { salt, cost }, TAG_BYTES);
  const { memoryKib, iterations, parallelism } = cost;
  return `$argon2id$v=19$m=${memoryKib},t=${iterations},p=${parallelism}$${encoded(salt)}$${encoded(tag)}`;
}

/**
 * Takes the same time for an account that does not exist or has no password.
 *
 * @param cost of new hashes
 */
export async function verifyPassword(password: string, hash: string | undefined, cost: Argon2idCost): Promise<boolean> {
  const exists = hash !== undefined && hash !== '';
  const { tag, ...parameters } = exists ? parse(hash) : decoy(cost);
  // hash-wasm rejects an empty password. No stored one equals the replacement, which is too short.
  const right = timingSafeEqual(await derive(password || '\0', parameters, tag.length), tag);
  return right && exists;
}

/** Returns a value that each new password changes. The random salt in the hash makes it useless for guessing. */
export function passwordVersion(passwordHash: string): string {
  return createHash('sha256').update(passwordHash).digest('base64url');
}

interface Derivation {
  readonly salt: Uint8Array;
  readonly cost: Argon2idCost;
}

/** A hash of no password. */
function decoy(cost: Argon2idCost): Derivation & { readonly tag: Buffer } {
  return { salt: randomBytes(SALT_BYTES), cost, tag: randomBytes(TAG_BYTES) };
}

function parse(hash: string): Derivation & { readonly tag: Buffer } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash);
  if (!match) throw new Error('a stored password hash has another form');
  const [memoryKib, iterations, parallelism] = match.slice(1, 4).map(Number) as [number, number, number];
  const cost = { memoryKib, iterations, parallelism };
  return { salt: Buffer.from(match[4]!, 'base64'), tag: Buffer.from(match[5]!, 'base64'), cost };
}

const pool = new ThreadPool<PasswordTasks>(new URL('./password-thread.ts', import.meta.url), {}, { size: THREADS });

function derive(password: string, { salt, cost }: Derivation, bytes: number): Promise<Uint8Array> {
  return pool.run('derive', { password, salt, cost, bytes });
}

/** Base64 without padding, as in the encoded form. */
function encoded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
