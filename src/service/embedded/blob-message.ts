import { formatChunkHash, hexDigestOf } from '../../protocol/chunk.ts';
import type { SealedBlob } from '../backup/put-blobs.ts';

const DIGEST_DIGITS = 64;

/** Several blobs as one message: one object per blob would cost more than the rest of sending. */
export interface BlobMessage {
  readonly memory: SharedArrayBuffer;
  /** Offset in `memory` and length of each blob: two numbers per blob. */
  readonly places: Uint32Array<ArrayBuffer>;
  /** Bytes of each plaintext. */
  readonly sizes: Uint32Array<ArrayBuffer>;
  /** 64 hex digits per blob. */
  readonly digests: string;
}

/** Blobs that share one memory are not copied. */
export function packBlobs(blobs: readonly SealedBlob[]): BlobMessage {
  const shared = sharedMemoryOf(blobs);
  const memory = shared ?? new SharedArrayBuffer(blobs.reduce((sum, { bytes }) => sum + bytes.length, 0));
  const places = new Uint32Array(2 * blobs.length);
  const sizes = Uint32Array.from(blobs, ({ size }) => size);
  let digests = '';
  let offset = 0;
  for (let index = 0; index < blobs.length; index += 1) {
    const { hash, bytes } = blobs[index]!;
    if (shared) offset = bytes.byteOffset;
    else new Uint8Array(memory).set(bytes, offset);
    places[2 * index] = offset;
    places[2 * index + 1] = bytes.length;
    digests += hexDigestOf(hash);
    offset += bytes.length;
  }
  return { memory, places, sizes, digests };
}

export function unpackBlobs({ memory, places, sizes, digests }: BlobMessage): SealedBlob[] {
  const blobs: SealedBlob[] = [];
  for (let index = 0; index < places.length / 2; index += 1) {
    const bytes = new Uint8Array(memory, places[2 * index], places[2 * index + 1]);
    const hex = digests.slice(index * DIGEST_DIGITS, (index + 1) * DIGEST_DIGITS);
    blobs.push({ hash: formatChunkHash(hex), bytes, size: sizes[index]! });
  }
  return blobs;
}

function sharedMemoryOf(blobs: readonly SealedBlob[]): SharedArrayBuffer | undefined {
  const memory = blobs[0]?.bytes.buffer;
  if (!(memory instanceof SharedArrayBuffer)) return undefined;
  return blobs.every(({ bytes }) => bytes.buffer === memory) ? memory : undefined;
}
