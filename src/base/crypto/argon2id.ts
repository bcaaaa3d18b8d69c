import { argon2id } from 'hash-wasm';

/** The cost of a derivation. */
export interface Argon2idCost {
  readonly memoryKib: number;
  readonly iterations: number;
  readonly parallelism: number;
}

/**
 * Derives bytes from a password by Argon2id (RFC 9106). The password is normalised to NFKC, so that the keyboard makes no
 * difference.
 *
 * WebAssembly is the one implementation that Node, Electron and the browser share: Electron's Node has no
 * `crypto.argon2`, and @noble/hashes takes three to six times as long (docs/decisions/history/0095-one-hash-library.md). It
 * blocks its thread.
 *
 * @param salt of at least 8 bytes
 */
export function deriveArgon2id(
  password: string,
  salt: Uint8Array,
  { memoryKib, iterations, parallelism }: Argon2idCost,
  bytes: number,
): Promise<Uint8Array> {
  return argon2id({
    password: password.normalize('NFKC'),
    salt,
    memorySize: memoryKib,
    iterations,
    parallelism,
    hashLength: bytes,
    outputType: 'binary',
  });
}
