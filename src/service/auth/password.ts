import { randomBytes } from 'node:crypto';
import { argon2id, argon2Verify } from 'hash-wasm';

/** Argon2id (RFC 9106): 32 MiB and three passes take about a tenth of a second, which every sign-in pays. */
const PARAMETERS = { parallelism: 1, iterations: 3, memorySize: 32_768, hashLength: 32 } as const;

/** The encoded form ($argon2id$v=19$…), with salt and parameters in it. */
export function hashPassword(password: string): Promise<string> {
  return argon2id({
    ...PARAMETERS,
    password: password.normalize('NFKC'),
    salt: randomBytes(16),
    outputType: 'encoded',
  });
}

let decoy: Promise<string> | undefined;

/** Takes as long for an account that does not exist (no `hash`) as for one that does. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  decoy ??= hashPassword(randomBytes(16).toString('hex'));
  const right = await argon2Verify({ password: password.normalize('NFKC'), hash: hash ?? (await decoy) });
  return right && hash !== undefined;
}
