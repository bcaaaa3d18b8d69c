import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';

/** Argon2id (RFC 9106): 32 MiB and three passes take about 0.1 s per sign-in. */
const PARAMETERS = { memory: 32_768, passes: 3, parallelism: 1 } as const;
type Parameters = Readonly<Record<keyof typeof PARAMETERS, number>>;

const TAG_BYTES = 32;
const SALT_BYTES = 16;

/** Maximum concurrent hashes: each takes its memory and a thread. */
const AT_ONCE = 2;

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
  decoy ??= hashPassword(randomBytes(16).toString('hex'));
  const { salt, tag, parameters } = parse(exists ? hash : await decoy);
  const right = timingSafeEqual(await derive(password, salt, parameters, tag.length), tag);
  return right && exists;
}

function parse(hash: string): { readonly salt: Buffer; readonly tag: Buffer; readonly parameters: Parameters } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash);
  if (!match) throw new Error('a stored password hash has another form');
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number];
  const parameters = { memory, passes, parallelism };
  return { salt: Buffer.from(match[4]!, 'base64'), tag: Buffer.from(match[5]!, 'base64'), parameters };
}

const waiting: (() => void)[] = [];
let running = 0;

async function derive(password: string, salt: Buffer, parameters: Parameters, tagLength: number): Promise<Buffer> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const given = { message: password.normalize('NFKC'), nonce: salt, tagLength, ...parameters };
      argon2('argon2id', given, (error, tag) => (error ? reject(error) : resolve(tag)));
    });
  } finally {
    // Passes the slot to the next in the queue.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** Base64 without padding, as in the encoded form. */
function encoded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
