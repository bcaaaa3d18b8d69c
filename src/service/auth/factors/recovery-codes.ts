import { createHash, randomBytes } from 'node:crypto';

const CODES = 10;

/** Crockford's base32, without letters and digits that look alike. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** Creates codes of 80 random bits: `abcd-efgh-jkmn-pqrs`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: CODES }, newRecoveryCode);
}

/** Returns the hex SHA-256, which suffices for 80 random bits, or `undefined` if `typed` is not a recovery code. */
export function recoveryCodeHash(typed: string): string | undefined {
  const plain = typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(plain) ? createHash('sha256').update(plain).digest('hex') : undefined;
}

function newRecoveryCode(): string {
  const letters = Array.from(randomBytes(16), (byte) => LETTERS[byte & 31]!);
  return letters.join('').replaceAll(/.{4}(?=.)/g, '$&-');
}
