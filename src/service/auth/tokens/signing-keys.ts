import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { DAY } from '../../../model/units.ts';

/** Period in milliseconds in which one key signs. */
const PERIOD = 30 * DAY;

/** Prefix of the seed in the PKCS #8 form of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export const SIGNING_ALGORITHM = 'EdDSA';

interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/**
 * Ed25519 keys that sign for 30 days each. The key of a period is derived from a secret of the store, which creates it on
 * first use: all processes of a service have the same keys, and nothing has to run at the change. The keys of the
 * adjacent periods also verify, since a token may outlive its key by an hour and clocks may differ.
 */
export class SigningKeys {
  readonly #seedOf: (name: string) => Promise<Buffer>;
  readonly #keys = new Map<number, Promise<SigningKey>>();

  /** @param seedOf returns a 32-byte secret that the store keeps under a name */
  constructor(seedOf: (name: string) => Promise<Buffer>) {
    this.#seedOf = seedOf;
  }

  /** Returns the signing key. `now` in milliseconds. */
  current(now: number): Promise<SigningKey> {
    return this.#key(periodOf(now));
  }

  /** Returns the public key for a token's `kid` if it belongs to this time. */
  async find(id: string | undefined, now: number): Promise<KeyObject | undefined> {
    const period = neighbours(now).find((candidate) => idOf(candidate) === id);
    return period === undefined ? undefined : (await this.#key(period)).publicKey;
  }

  /** The JWK set (RFC 7517) includes the next period's key, so that cached copies contain it in time. */
  async published(now: number): Promise<JWK[]> {
    const keys = await Promise.all(neighbours(now).map((period) => this.#key(period)));
    return keys.map(({ id, publicKey }) => {
      const jwk = publicKey.export({ format: 'jwk' }) as JWK;
      return Object.assign(jwk, { kid: id, use: 'sig', alg: SIGNING_ALGORITHM });
    });
  }

  #key(period: number): Promise<SigningKey> {
    const known = this.#keys.get(period);
    if (known) return known;
    for (const other of this.#keys.keys()) if (Math.abs(other - period) > 2) this.#keys.delete(other);
    const key = this.#seedOf(`token-signing:${period}`).then((seed) => keyOf(period, seed));
    this.#keys.set(period, key);
    key.catch(() => this.#keys.delete(period));
    return key;
  }
}

function periodOf(now: number): number {
  return Math.floor(now / PERIOD);
}

function neighbours(now: number): number[] {
  const period = periodOf(now);
  return [period - 1, period, period + 1];
}

function idOf(period: number): string {
  return `period-${period}`;
}

function keyOf(period: number, seed: Buffer): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  return { id: idOf(period), privateKey, publicKey: createPublicKey(privateKey) };
}
