import { createDecipheriv, createHash, hkdfSync, createHmac } from 'node:crypto';
import { wordlist } from '@scure/bip39/wordlists/english.js';

/*
 * Opens blobs as the interface describes them: IV (12), ciphertext, tag (16), AES-256-GCM, and the SHA-256 of what was decrypted is the
 * chunk's name. There is one rule for the key of every chunk (docs/format.md). Written without code of Holdfast's.
 */

/** Returns the chunk sub-keys of an account's first epoch, by epoch; that of epoch 0 is public. */
export function subKeysOf(phrase: string): ReadonlyMap<number, Buffer> {
  const bits = phrase
    .split(' ')
    .map((word) => wordlist.indexOf(word).toString(2).padStart(11, '0'))
    .join('');
  const master = Buffer.from(
    bits
      .slice(0, 256)
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  );
  return new Map([
    [0, createHash('sha256').update('holdfast/v1/envelope').digest()],
    [1, Buffer.from(hkdfSync('sha256', master, '', 'holdfast/v1/chunk', 32))],
  ]);
}

/** Returns the bytes of a blob's plaintext, or what is wrong with it. */
export function openByInterface(hash: string, blob: Buffer, subKeys: ReadonlyMap<number, Buffer>): number | string {
  const digest = Buffer.from(hash.slice('sha256:'.length), 'hex');
  const subKey = subKeys.get(blob.readUInt16BE(1));
  if (!subKey) return 'another epoch';
  const key = createHmac('sha256', subKey).update(digest).update('\u0001').digest();
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12)).setAuthTag(blob.subarray(-16));
  try {
    const plaintext = Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()]);
    return createHash('sha256').update(plaintext).digest().equals(digest) ? plaintext.length : 'another plaintext';
  } catch {
    return 'the tag does not fit';
  }
}
