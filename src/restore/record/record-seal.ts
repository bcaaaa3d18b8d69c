import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochKeys } from '../../format/crypto/keys.ts';

/** Proves that what a record says was written by a process with the keys of this home. */
export class RecordSeal {
  readonly #keys: EpochKeys;

  /** @param keys the first one seals, all of them are accepted: a restore can be undone after a rotation */
  constructor(keys: EpochKeys) {
    this.#keys = keys;
  }

  /** HMAC-SHA256 of the values as JSON, the first of which says what they are. */
  of(values: readonly unknown[]): string {
    return macOf(this.#keys[0].key, values);
  }

  isOf(mac: unknown, values: readonly unknown[]): boolean {
    const given = Buffer.from(typeof mac === 'string' ? mac : '');
    return this.#keys.some(({ key }) => {
      const expected = Buffer.from(macOf(key, values));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

function macOf(key: Uint8Array, values: readonly unknown[]): string {
  return createHmac('sha256', key).update(JSON.stringify(values)).digest('hex');
}
