import { randomBytes, timingSafeEqual } from 'node:crypto';
import { ThreadPool } from '../../base/thread-pool.ts';
import type { PasswordTasks } from './password-thread.ts';

/** Argon2id (RFC 9106): 32 MiB and three passes take about 0.1 s per sign-in. */
const PARAMETERS = { memory: 32_768, passes: 3, parallelism: 1 } as const;
type Parameters = Readonly<Record<keyof typeof PARAMETERS, number>>;

const TAG_BYTES = 32;
const SALT_BYTES = 16;

/** Each thread needs the memory of a hash, so sign-ins wait for one of them. */
const THREADS = 2;

/** Returns the encoded form ($argon2id$v=19$…) with salt and parameters. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(password, salt, PARAMETERS, TAG_BYTES);
  const { memory, passes, parallelism } = PARAMETERS;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encoded(salt)}$${encoded(tag)}`;
}

let decoy: Promise<string> | undefined;

/** Takes the same time for an account that does not exist or has no password. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const exists = hash !== undefined && hash !== '';
  decoy ??= createDecoy();
  const { salt, tag, parameters } = parse(exists ? hash : await decoy);
  // hash-wasm rejects an empty password. No stored one equals the replacement, which is too short.
  const right = timingSafeEqual(await derive(password || '\0', salt, parameters, tag.length), tag);
  return right && exists;
}

/** Creates a hash of no account. The next sign-in tries again if that fails. */
function createDecoy(): Promise<string> {
  const created = hashPassword(randomBytes(16).toString('hex'));
  created.catch(() => {
    decoy = undefined;
  });
  return created;
}

function parse(hash: string): { readonly salt: Buffer; readonly tag: Buffer; readonly parameters: Parameters } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash);
  if (!match) throw new Error('a stored password hash has another form');
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number];
  const parameters = { memory, passes, parallelism };
  return { salt: Buffer.from(match[4]!, 'base64'), tag: Buffer.from(match[5]!, 'base64'), parameters };
}

const pool = new ThreadPool<PasswordTasks>(new URL('./password-thread.ts', import.meta.url), {}, THREADS);

async function derive(
  password: string,
  salt: Uint8Array,
  { memory, passes, parallelism }: Parameters,
  bytes: number,
): Promise<Uint8Array> {
  return await pool.run('derive', {
    password,
    salt,
    cost: { memoryKib: memory, iterations: passes, parallelism },
    bytes,
  });
}

/** Base64 without padding, as in the encoded form. */
function encoded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
