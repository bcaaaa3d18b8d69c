import { createCipheriv } from 'node:crypto';
import type { Random } from '../../../helpers/random.ts';
import { noise } from './formats.ts';

/** What ransomware makes of a file's content. */
export type Cipher = (content: Buffer, random: Random) => Buffer;

export const wholly: Cipher = (content, random) =>
  createCipheriv('aes-256-ctr', noise(random, 32), noise(random, 16)).update(content);

/** Encrypts the bytes from `from` to `end`. */
export function between(from: number, end: number): Cipher {
  return (content, random) =>
    Buffer.concat([content.subarray(0, from), wholly(content.subarray(from, end), random), content.subarray(end)]);
}

/** Encrypts `length` bytes of each `every`, the first time at `from`. */
export function intermittently(from: number, length: number, every: number): Cipher {
  return (content, random) => {
    const result = Buffer.from(content);
    for (let at = from; at < content.length; at += every) {
      wholly(content.subarray(at, at + length), random).copy(result, at);
    }
    return result;
  };
}

export const behindHeader: Cipher = (content, random) =>
  Buffer.concat([Buffer.from('YOUR FILE WAS SEALED. '.repeat(30)), wholly(content, random)]);

export const asBase64: Cipher = (content, random) => Buffer.from(wholly(content, random).toString('base64'));

export const withConstant: Cipher = (content, random) => {
  const constant = 1 + random.below(255);
  return content.map((byte) => byte ^ constant) as Buffer;
};

export const zeros: Cipher = (content) => Buffer.alloc(content.length);

export const overwritten: Cipher = (content, random) => noise(random, content.length);
