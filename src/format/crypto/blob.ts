import { createCipheriv, createDecipheriv, hash, randomFillSync } from 'node:crypto';
import { BLOB_OVERHEAD } from '../../protocol/blob.ts';
import { formatChunkHash } from '../../protocol/chunk-hash.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { releaseOutput, releaseOwnMemory } from '../../base/limits/release-memory.ts';
import type { EpochKey } from './keys.ts';
import { AS_IT_IS, unpackFrame, ZSTD } from './packing.ts';
import { KIB, MIB } from '../../model/units.ts';

/** What a blob contains: a chunk of a file, a piece of the tree, or the key envelope. */
export type BlobKind = 'data' | 'tree' | 'envelope';

/**
 * How chunks are sealed for a destination. `packed`: they may be compressed. `plain`: as the interface describes blobs, for services
 * that do not announce `backup.compression`.
 */
export type BlobForm = 'packed' | 'plain';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
/** Where the IV states the epoch. */
const EPOCH_AT = 1;
const TAG_BYTES = 16;
/** The largest chunk. */
const MAX_PLAINTEXT_BYTES = 4 * MIB;
const TAG_LENGTH = { authTagLength: TAG_BYTES } as const;

/**
 * Bytes that go through the cipher at once, into existing memory: each step's own output is small enough to
 * stay in cache and to be recycled. Sealing costs, in µs (Node 24, 2-core EPYC, best of repeated runs):
 *
 * |                                    | 4 KiB | 64 KiB | 1 MiB |
 * |---|---|---|---|
 * | one update, Buffer.concat          |    20 |     47 |   430 |
 * | steps of 64 KiB, new memory        |    16 |     45 |   550 |
 * | steps of 64 KiB, `into` used again |    15 |     28 |   330 |
 * | and each step's output given back  |    15 |     24 |   186 |
 * | and no stacks collected            |    10 |     16 |   174 |
 *
 * The cost of new memory is its first access.
 */
const STEP_BYTES = 64 * KIB;

/**
 * Seals a chunk as a blob: IV (12) ‖ ciphertext ‖ tag (16), AES-256-GCM without associated data. The IV's first byte says how
 * the plaintext is packed, the next two state the epoch of the key; the tag covers them.
 *
 * @param key the chunk's own key (`ChunkKeys.keyOf`), never used for another plaintext; a key alone has epoch 0
 * @param into where the blob is written, from its start; at least 28 bytes more than what is sealed, and apart from it.
 *   Without it, new memory that may be transferred to another thread.
 * @param frame the plaintext as one zstd frame, sealed in its place
 * @returns the blob, a view of `into` if that was given
 */
export function sealChunk(
  key: EpochKey | Uint8Array,
  plaintext: Uint8Array,
  into?: Buffer,
  frame?: Uint8Array,
): Buffer {
  const { epoch, key: bytes } = key instanceof Uint8Array ? { epoch: 0, key } : key;
  const content = frame ?? plaintext;
  const blobBytes = content.length + BLOB_OVERHEAD;
  if (into && into.length < blobBytes) throw new RangeError(`a blob of ${blobBytes} bytes needs more room`);
  const blob = into ? into.subarray(0, blobBytes) : Buffer.allocUnsafeSlow(blobBytes);
  const iv = blob.subarray(0, IV_BYTES);
  fillIv(iv);
  iv[0] = frame ? ZSTD : AS_IT_IS;
  iv.writeUInt16BE(epoch, EPOCH_AT);
  const cipher = withoutStacks(() => createCipheriv(CIPHER, bytes, iv, TAG_LENGTH));
  transform(cipher, content, blob, IV_BYTES);
  cipher.final();
  blob.set(cipher.getAuthTag(), blobBytes - TAG_BYTES);
  return blob;
}

export interface OpenOptions {
  /** Bytes of the plaintext, if they are known. */
  readonly size?: number | undefined;
  /**
   * Memory for what is decrypted, from its start; 28 bytes less than the blob suffice. Its content is undefined after an
   * error. The plaintext of a packed chunk is new memory all the same. Without it, the plaintext has memory of its own.
   */
  readonly into?: Buffer;
}

/**
 * Opens a blob and returns the chunk's plaintext; none of it is returned before the tag and the digest are verified.
 *
 * What was sealed is told by the digest. The IV's first byte only says whether it may have been compressed: in a blob that another
 * program has sealed as the interface describes it, all bytes of the IV are random.
 *
 * @param digest the 32 bytes that name the chunk
 * @throws HoldfastError `chunk_tampered` if the blob is not of that chunk under that key or is packed in an unknown way,
 *   `chunk_corrupt` if it opens to another plaintext; both with details `{chunk, problem}`
 */
export function openBlob(key: Uint8Array, blob: Uint8Array, digest: Uint8Array, options: OpenOptions = {}): Buffer {
  const content = decrypt(key, blob, digest, options.into);
  const packing = blob[0]!;
  const unpacked = packing === ZSTD ? unpack(content, options.size) : undefined;
  const isUnpacked = unpacked !== undefined && isNamed(unpacked, digest);
  if (!isUnpacked && !isNamed(content, digest)) throw unknownContent(packing, unpacked, digest);
  if (!isUnpacked) return content;
  if (options.into) return unpacked;
  releaseOwnMemory(content);
  return ownMemory(unpacked);
}

function isNamed(plaintext: Uint8Array, digest: Uint8Array): boolean {
  return hash('sha256', plaintext, 'buffer').equals(digest);
}

function unknownContent(packing: number, unpacked: Buffer | undefined, digest: Uint8Array): HoldfastError {
  if (packing !== AS_IT_IS && packing !== ZSTD) return refusal('chunk_tampered', digest, 'packing');
  return refusal('chunk_corrupt', digest, packing === ZSTD && !unpacked ? 'packing' : 'digest');
}

/** Returns the epoch that a blob states, which nobody has verified; `undefined` if the blob is too short. */
export function epochOf(blob: Uint8Array): number | undefined {
  return blob.length < IV_BYTES ? undefined : blob[EPOCH_AT]! * 256 + blob[EPOCH_AT + 1]!;
}

/** Returns the plaintext's size if it can be told from the unopened blob, which nobody has verified. */
export function plaintextSizeOf(blob: Uint8Array): number | undefined {
  if (blob[0] !== AS_IT_IS) return undefined;
  return Math.max(0, blob.length - BLOB_OVERHEAD);
}

function decrypt(key: Uint8Array, blob: Uint8Array, digest: Uint8Array, into: Buffer | undefined): Buffer {
  if (blob.length <= BLOB_OVERHEAD) throw refusal('chunk_tampered', digest, 'length');
  const tagStart = blob.length - TAG_BYTES;
  const decipher = withoutStacks(() => createDecipheriv(CIPHER, key, blob.subarray(0, IV_BYTES), TAG_LENGTH));
  decipher.setAuthTag(blob.subarray(tagStart));
  const length = blob.length - BLOB_OVERHEAD;
  const content = into ? into.subarray(0, length) : Buffer.allocUnsafeSlow(length);
  if (content.length < length) throw new RangeError(`a blob of ${length} bytes needs more room`);
  transform(decipher, blob.subarray(IV_BYTES, tagStart), content, 0);
  try {
    decipher.final();
  } catch (cause) {
    throw refusal('chunk_tampered', digest, 'tag', cause);
  }
  return content;
}

/** @param content what the blob's tag has verified */
function unpack(content: Buffer, size: number | undefined): Buffer | undefined {
  return unpackFrame(content, Math.min(size ?? MAX_PLAINTEXT_BYTES, MAX_PLAINTEXT_BYTES));
}

/** zlib returns the beginning of a larger buffer, and for small outputs a piece of Node's pool. */
function ownMemory(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  releaseOutput(bytes);
  return own;
}

/**
 * Node 24 throws twice internally to detect that a key is bytes and not a KeyObject; collecting those stacks takes 16 µs
 * of the 25 µs of a cipher for a small chunk, and more with a deeper call stack.
 */
function withoutStacks<Result>(make: () => Result): Result {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

interface StreamCipher {
  update(input: Uint8Array): Buffer;
}

function transform(cipher: StreamCipher, input: Uint8Array, output: Buffer, offset: number): void {
  for (let start = 0; start < input.length; start += STEP_BYTES) {
    const part = cipher.update(input.subarray(start, start + STEP_BYTES));
    // `set` takes three times as long for memory that threads share.
    part.copy(output, offset + start);
    giveBack(part);
  }
}

/** Smaller parts are not worth the call. */
const LEAST_GIVEN_BACK = 16 * KIB;

/** OpenSSL allocates an output buffer for each part; left to the garbage collector they add up to tens of MB. */
function giveBack(part: Uint8Array): void {
  const { buffer } = part;
  if (part.length < LEAST_GIVEN_BACK || !(buffer instanceof ArrayBuffer)) return;
  if (part.byteLength === buffer.byteLength) buffer.transfer(0);
}

/** One call of the random generator serves many blobs: a call per chunk costs more than sealing a small one. */
const randomness = Buffer.alloc(IV_BYTES * 1024);
let randomnessUsed = randomness.length;

function fillIv(iv: Uint8Array): void {
  if (randomnessUsed === randomness.length) {
    randomFillSync(randomness);
    randomnessUsed = 0;
  }
  iv.set(randomness.subarray(randomnessUsed, randomnessUsed + IV_BYTES));
  randomnessUsed += IV_BYTES;
}

/** @param problem `epoch` for a key that is not known */
export function refusal(
  code: 'chunk_tampered' | 'chunk_corrupt',
  digest: Uint8Array,
  problem: 'length' | 'tag' | 'packing' | 'digest' | 'epoch',
  cause?: unknown,
): HoldfastError {
  const chunk = formatChunkHash(Buffer.from(digest).toString('hex'));
  return new HoldfastError(code, { chunk, problem }, { cause });
}
