import { createCipheriv, timingSafeEqual, type Cipheriv } from 'node:crypto';

const BLOCK_BYTES = 16;
export const SIV_TAG_BYTES = BLOCK_BYTES;
const SIV_KEY_BYTES = 64;

/**
 * AES-SIV with 256-bit keys and one string of associated data (RFC 5297): deterministic authenticated encryption.
 *
 * Node offers no SIV cipher, and @noble/ciphers expands its keys in every call: 20 µs a name instead of 4, which
 * matters for a tree of a million names. All of it runs on single AES blocks (ECB has no state, so two cipher
 * objects serve for ever), and what depends on the associated data alone is made once a directory. Tests hold it
 * against RFC 5297 and against @noble/ciphers.
 */
export class AesSiv {
  readonly #macCipher: Cipheriv;
  readonly #counterCipher: Cipheriv;
  /** CMAC's sub-keys for a last block that is full, and for one that was padded (RFC 4493, section 2.3). */
  readonly #fullKey: Buffer;
  readonly #paddedKey: Buffer;
  /** dbl(CMAC(zero)), the start of S2V. */
  readonly #start: Buffer;

  /** @param key 64 bytes: the half for S2V, the half for the counter mode */
  constructor(key: Uint8Array) {
    if (key.length !== SIV_KEY_BYTES) throw new RangeError(`an AES-SIV key has ${SIV_KEY_BYTES} bytes`);
    this.#macCipher = createCipheriv('aes-256-ecb', key.subarray(0, 32), null).setAutoPadding(false);
    this.#counterCipher = createCipheriv('aes-256-ecb', key.subarray(32), null).setAutoPadding(false);
    const zero = Buffer.alloc(BLOCK_BYTES);
    this.#fullKey = doubled(this.#macCipher.update(zero));
    this.#paddedKey = doubled(this.#fullKey);
    this.#start = doubled(this.#cmac(zero));
  }

  /** Returns the state of S2V after the associated data, for `seal` and `open`. */
  associate(data: Uint8Array): Buffer {
    const state = this.#cmac(data);
    exclusiveOr(state, this.#start, 0);
    return state;
  }

  /** Tag (16) ‖ ciphertext. */
  seal(state: Uint8Array, plaintext: Uint8Array): Buffer {
    const tag = this.#tagOf(state, plaintext);
    const sealed = Buffer.allocUnsafe(BLOCK_BYTES + plaintext.length);
    sealed.set(tag, 0);
    this.#count(tag, plaintext, sealed.subarray(BLOCK_BYTES));
    return sealed;
  }

  /** Returns the plaintext, or `undefined` if the tag does not match. */
  open(state: Uint8Array, sealed: Uint8Array): Buffer | undefined {
    if (sealed.length < BLOCK_BYTES) return undefined;
    const tag = sealed.subarray(0, BLOCK_BYTES);
    const plaintext = Buffer.allocUnsafe(sealed.length - BLOCK_BYTES);
    this.#count(tag, sealed.subarray(BLOCK_BYTES), plaintext);
    return timingSafeEqual(this.#tagOf(state, plaintext), tag) ? plaintext : undefined;
  }

  /** The end of S2V (RFC 5297, section 2.4). */
  #tagOf(state: Uint8Array, plaintext: Uint8Array): Buffer {
    if (plaintext.length >= BLOCK_BYTES) {
      const last = Buffer.from(plaintext);
      exclusiveOr(last, state, last.length - BLOCK_BYTES);
      return this.#cmac(last);
    }
    const last = doubled(state);
    exclusiveOr(last, padded(plaintext), 0);
    return this.#cmac(last);
  }

  /** AES-CMAC (RFC 4493). */
  #cmac(message: Uint8Array): Buffer {
    const lastStart = Math.max(0, Math.ceil(message.length / BLOCK_BYTES) - 1) * BLOCK_BYTES;
    let state: Buffer = Buffer.alloc(BLOCK_BYTES);
    for (let start = 0; start < lastStart; start += BLOCK_BYTES) {
      exclusiveOr(state, message.subarray(start, start + BLOCK_BYTES), 0);
      state = this.#macCipher.update(state);
    }
    const last = message.subarray(lastStart);
    const full = last.length === BLOCK_BYTES;
    exclusiveOr(state, full ? last : padded(last), 0);
    exclusiveOr(state, full ? this.#fullKey : this.#paddedKey, 0);
    return this.#macCipher.update(state);
  }

  /** Counter mode from the tag with the top bits of its last two 32-bit words cleared (RFC 5297, section 2.5). */
  #count(tag: Uint8Array, input: Uint8Array, output: Uint8Array): void {
    const counters = Buffer.allocUnsafe(Math.ceil(input.length / BLOCK_BYTES) * BLOCK_BYTES);
    for (let start = 0; start < counters.length; start += BLOCK_BYTES) {
      counters.set(tag, start);
      counters[start + 8]! &= 0x7f;
      // The cleared bit takes the carry, so the low word alone counts for 2^31 blocks.
      const low = counters.readUInt32BE(start + 12) & 0x7fff_ffff;
      counters.writeUInt32BE(low + start / BLOCK_BYTES, start + 12);
    }
    const stream = this.#counterCipher.update(counters);
    for (let index = 0; index < input.length; index += 1) output[index] = input[index]! ^ stream[index]!;
  }
}

/** Multiplication by x in GF(2^128): `dbl` of RFC 5297, section 2.3. */
function doubled(block: Uint8Array): Buffer {
  const result = Buffer.allocUnsafe(BLOCK_BYTES);
  let carry = 0;
  for (let index = BLOCK_BYTES - 1; index >= 0; index -= 1) {
    const byte = block[index]!;
    result[index] = ((byte << 1) | carry) & 0xff;
    carry = byte >>> 7;
  }
  result[BLOCK_BYTES - 1]! ^= carry * 0x87;
  return result;
}

function padded(part: Uint8Array): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.set(part);
  block[part.length] = 0x80;
  return block;
}

function exclusiveOr(target: Buffer, other: Uint8Array, offset: number): void {
  for (let index = 0; index < BLOCK_BYTES; index += 1) target[offset + index]! ^= other[index]!;
}
