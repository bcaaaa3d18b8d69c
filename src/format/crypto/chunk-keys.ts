import { hash } from 'node:crypto';
import { type HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { epochOf, openBlob, refusal, type BlobForm, type OpenOptions } from './blob.ts';
import { keysOfEpoch, type EpochKey, type EpochKeys } from './keys.ts';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/**
 * The key of each chunk in one epoch: HKDF-Expand (RFC 5869, section 2.3) of the chunk sub-key with the chunk's digest as `info`.
 * For 32 bytes of output that is one HMAC-SHA256 of `digest ‖ 0x01`.
 *
 * The HMAC (RFC 2104) is computed by two one-shot hashes over prepared key blocks: `createHmac` costs 18 µs a call in
 * Node 24, this 3 µs, and there is one call for every chunk.
 */
class EpochChunkKeys {
  readonly epoch: number;
  /** `key ^ ipad ‖ digest ‖ 0x01` */
  readonly #inner = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES + 1, INNER_PAD);
  /** `key ^ opad ‖ inner hash` */
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, OUTER_PAD);

  constructor({ epoch, key: chunkSubKey }: EpochKey) {
    this.epoch = epoch;
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

/** So often nobody changes the key while a computer is away. */
const MOST_EPOCHS_AHEAD = 64;

/** The keys of chunks: those of the current epoch seal, and a blob is opened by that of the epoch that it states. */
export class ChunkKeys {
  readonly #subKeys: EpochKeys;
  readonly #current: EpochChunkKeys;
  readonly #all = new Map<EpochKey, EpochChunkKeys>();

  /** @param subKeys `Keys.chunk` */
  constructor(subKeys: EpochKeys) {
    this.#subKeys = subKeys;
    this.#current = this.#keysOf(subKeys[0]);
  }

  /** Returns the key that seals the chunk whose plaintext has this SHA-256 (32 raw bytes). */
  keyOf(digest: Uint8Array): EpochKey {
    return { epoch: this.#current.epoch, key: this.#current.keyOf(digest) };
  }

  /**
   * Opens a blob as `openBlob` does.
   *
   * @throws HoldfastError as `openBlob`; `chunk_tampered` with problem `epoch` if it states one that may have begun since
   */
  open(blob: Uint8Array, digest: Uint8Array, options?: OpenOptions): Buffer {
    const epoch = epochOf(blob);
    if (epoch === undefined) throw refusal('chunk_tampered', digest, 'length');
    let refused: HoldfastError | undefined;
    const stated = keysOfEpoch(this.#subKeys, epoch);
    // An IV that another program has made is random, and states nothing.
    const others = this.#subKeys.filter((subKey) => !stated.includes(subKey));
    for (const subKey of [...stated, ...others]) {
      try {
        return openBlob(this.#keysOf(subKey).keyOf(digest), blob, digest, options);
      } catch (error) {
        if (!isHoldfastError(error, 'chunk_tampered')) throw error;
        if (stated.includes(subKey)) refused ??= error;
      }
    }
    // What is no blob at all begins with any number.
    const isNewer = epoch > this.#current.epoch && epoch <= this.#current.epoch + MOST_EPOCHS_AHEAD;
    throw refused ?? refusal('chunk_tampered', digest, isNewer ? 'epoch' : 'tag');
  }

  #keysOf(subKey: EpochKey): EpochChunkKeys {
    let keys = this.#all.get(subKey);
    if (!keys) this.#all.set(subKey, (keys = new EpochChunkKeys(subKey)));
    return keys;
  }
}

let last: { readonly subKeys: EpochKeys; readonly keys: ChunkKeys } | undefined;

/** Returns the keys of chunk sub-keys; caches the last ones, since nearly every task of a thread has the same sub-keys. */
export function chunkKeysOf(subKeys: EpochKeys): ChunkKeys {
  if (!last || !isSame(last.subKeys, subKeys)) last = { subKeys, keys: new ChunkKeys(subKeys) };
  return last.keys;
}

function isSame(one: EpochKeys, other: EpochKeys): boolean {
  return (
    one.length === other.length &&
    one.every(({ epoch, key }, index) => epoch === other[index]!.epoch && Buffer.compare(key, other[index]!.key) === 0)
  );
}

/** Public, since a device without a master key reads the key envelope: what is inside is sealed by its own slots. */
export const ENVELOPE_CHUNK_KEY: Uint8Array = hash('sha256', 'holdfast/v1/envelope', 'buffer');

/** The public key as the chunk sub-key of epoch 0. */
let publicChunkKeys: EpochChunkKeys | undefined;

/**
 * Returns the key of the chunk that holds the key envelope. In the `plain` form it follows from the epoch of the IV and the digest, as the key
 * of every other chunk does; in the other it is the public key itself.
 */
export function envelopeKey(digest: Uint8Array, form: BlobForm): Uint8Array {
  if (form === 'packed') return ENVELOPE_CHUNK_KEY;
  publicChunkKeys ??= new EpochChunkKeys({ epoch: 0, key: ENVELOPE_CHUNK_KEY });
  return publicChunkKeys.keyOf(digest);
}

/** Opens the chunk that holds the key envelope, in either form. @throws HoldfastError as `openBlob` */
export function openEnvelope(blob: Uint8Array, digest: Uint8Array): Buffer {
  try {
    return openBlob(envelopeKey(digest, 'packed'), blob, digest);
  } catch (error) {
    if (!isHoldfastError(error, 'chunk_tampered')) throw error;
    return openBlob(envelopeKey(digest, 'plain'), blob, digest);
  }
}
