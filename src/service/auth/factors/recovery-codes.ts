import { createHash, randomBytes } from 'node:crypto';

const CODES = 10;

/** Without letters and digits that look alike (Crockford's base32). */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** 80 random bits each: `abcd-efgh-jkmn-pqrs`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: CODES }, newRecoveryCode);
}

/** Hex SHA-256, which is enough for 80 random bits; nothing where `typed` has not the form of a recovery code. */
export function recoveryCodeHash(typed: string): string | undefined {
  const plain = typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(plain) ? createHash('sha256').update(plain).digest('hex') : undefined;
}

function newRecoveryCode(): string {
  const letters = Array.from(randomBytes(16), (byte) => LETTERS[byte & 31]!);
  return letters.join('').replaceAll(/.{4}(?=.)/g, '$&-');
}
