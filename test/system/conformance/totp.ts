import { createHmac } from 'node:crypto';

const PERIOD = 30_000;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The time step of RFC 6238 with its defaults: SHA-1, 30 seconds, six digits. `time` in milliseconds. */
export function totpStep(time: number): number {
  return Math.floor(time / PERIOD);
}

/** Milliseconds since the epoch at which a step begins. */
export function startOfStep(step: number): number {
  return step * PERIOD;
}

/** The code of a step. @param secret in base32 */
export function totpCode(secret: string, step: number): string {
  let bits = '';
  for (const letter of secret.toUpperCase().replace(/[=\s]/g, '')) {
    bits += ALPHABET.indexOf(letter).toString(2).padStart(5, '0');
  }
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE(digest.at(-1)! & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** A code of no step near this one. */
export function wrongCode(secret: string, step: number): string {
  const near = new Set([-2, -1, 0, 1, 2].map((distance) => totpCode(secret, step + distance)));
  let code = 0;
  while (near.has(String(code).padStart(6, '0'))) code += 1;
  return String(code).padStart(6, '0');
}
