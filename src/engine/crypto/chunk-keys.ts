import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/**
 * The key of each chunk: HKDF-Expand (RFC 5869, section 2.3) of the chunk sub-key with the chunk's digest as `info`.
 * For 32 bytes of output that is one HMAC-SHA256 of `digest ‖ 0x01`.
 *
 * The HMAC (RFC 2104) is computed by two one-shot hashes over prepared key blocks: `createHmac` costs 18 µs a call in
 * Node 24, this 3 µs, and there is one call for every chunk.
 */
export class ChunkKeys {
  /** `key ^ ipad ‖ digest ‖ 0x01` */
  readonly #inner = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES + 1, INNER_PAD);
  /** `key ^ opad ‖ inner hash` */
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, OUTER_PAD);

  /** @param chunkSubKey `Keys.chunk`, 32 bytes */
  constructor(chunkSubKey: Uint8Array) {
    if (chunkSubKey.length !== DIGEST_BYTES) throw new RangeError(`a chunk sub-key has ${DIGEST_BYTES} bytes`);
    chunkSubKey.forEach((byte, index) => {
      this.#inner[index] = byte ^ INNER_PAD;
      this.#outer[index] = byte ^ OUTER_PAD;
    });
    this.#inner[BLOCK_BYTES + DIGEST_BYTES] = 0x01;
  }

  /** Returns the 32-byte key of the chunk whose plaintext has this SHA-256 (32 raw bytes). */
  keyOf(digest: Uint8Array): Buffer {
    if (digest.length !== DIGEST_BYTES) throw new RangeError(`a chunk digest has ${DIGEST_BYTES} bytes`);
    this.#inner.set(digest, BLOCK_BYTES);
    this.#outer.set(hash('sha256', this.#inner, 'buffer'), BLOCK_BYTES);
    return hash('sha256', this.#outer, 'buffer');
  }
}

let last: { readonly subKey: Buffer; readonly keys: ChunkKeys } | undefined;

/** Returns the keys of a chunk sub-key; caches the last ones, since nearly every task of a thread has the same sub-key. */
export function chunkKeysOf(chunkSubKey: Uint8Array): ChunkKeys {
  if (!last?.subKey.equals(chunkSubKey)) last = { subKey: Buffer.from(chunkSubKey), keys: new ChunkKeys(chunkSubKey) };
  return last.keys;
}

/** The public key of the chunk that holds the key envelope: what is inside is sealed by its own slots. */
export const ENVELOPE_CHUNK_KEY: Uint8Array = hash('sha256', 'holdfast/v1/envelope', 'buffer');
