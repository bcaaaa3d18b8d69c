import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';

/** An Ed25519 key (RFC 8032). Signatures are the 64 bytes over the whole file, as `openssl pkeyutl -rawin` makes them. */
export class SigningKey {
  readonly #key: KeyObject;
  readonly #public: KeyObject;

  private constructor(pem: string) {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('the release key is not one of Ed25519');
    this.#key = key;
    this.#public = createPublicKey(key);
  }

  /**
   * Reads `HOLDFAST_RELEASE_KEY`, a key in PEM, or the file that `HOLDFAST_RELEASE_KEY_FILE` names; `undefined` without either.
   *
   * @param root the checkout, in which the key must not be
   * @throws Error if others can read the file
   */
  static from(environment: NodeJS.ProcessEnv, root: string): SigningKey | undefined {
    const { HOLDFAST_RELEASE_KEY: pem = '', HOLDFAST_RELEASE_KEY_FILE: file = '' } = environment;
    if (pem !== '') return new SigningKey(pem);
    if (file === '') return undefined;
    if (!relative(resolve(root), resolve(file)).startsWith('..'))
      throw new Error(`${file} is inside the checkout: a key must not be there`);
    if ((statSync(file).mode & 0o077) !== 0) throw new Error(`others can read ${file}: chmod 600`);
    return new SigningKey(readFileSync(file, 'utf8'));
  }

  sign(bytes: Uint8Array): Buffer {
    return sign(null, bytes, this.#key);
  }

  /** The public key in PEM. */
  get publicKey(): string {
    return this.#public.export({ format: 'pem', type: 'spki' }).toString();
  }

  /** SHA-256 of the public key's DER, by which people compare keys. */
  get fingerprint(): string {
    return createHash('sha256')
      .update(this.#public.export({ format: 'der', type: 'spki' }))
      .digest('hex');
  }
}
