import { createCipheriv, createHash } from 'node:crypto';

/** Returns pseudorandom bytes, which no compression shortens: AES-128-CTR over zeros with a key from the seed. */
export function seededBytes(length: number, seed: string | number): Buffer {
  const key = createHash('sha256').update(String(seed)).digest().subarray(0, 16);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length));
}
