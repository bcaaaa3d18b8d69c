import { z } from 'zod';
import { KIB, MIB } from '../../model/units.ts';

/**
 * Many small blobs in one body, for which single requests would cost more than their bytes. Format: the number of entries, the
 * entries, the concatenated blobs. An entry consists of the chunk's 32-byte digest, the size of its blob, 0 for a missing blob,
 * and in uploads the size of its plaintext. Numbers are 32-bit big-endian.
 */
export const PACK_MEDIA_TYPE = 'application/vnd.holdfast.pack';

/** Larger blobs are sent alone. */
export const LARGEST_PACKED_BLOB = 256 * KIB;
export const MOST_PACKED_BLOBS = 1024;
/** Largest body, in bytes. */
export const LARGEST_PACK = 8 * MIB;

const COUNT_BYTES = 4;
const DIGEST_BYTES = 32;
const ENTRY_BYTES = DIGEST_BYTES + 8;

/** `POST /functions/v1/backup/pack` and `…/restore/pack` presign an address for packs of one session. */
export const backupPackRequest = z.object({ session_id: z.string().min(1).max(512) });
export const restorePackRequest = z.object({ restore_session_id: z.string().min(1).max(512) });
export const packResponse = z.object({ url: z.url(), expires_in: z.number().positive() });
export type PackResponse = z.infer<typeof packResponse>;

/** Response to an uploaded pack: those of its blobs that were not stored before. */
export const packStored = z.object({
  blobs: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  plaintext_bytes: z.int().nonnegative(),
});

export interface PackEntry {
  /** 32 bytes. */
  readonly digest: Uint8Array;
  /** Size of the blob. */
  readonly bytes: number;
  /** Size of the plaintext; 0 in downloads. */
  readonly size: number;
}

/** Encodes the part before the blobs. */
export function packIndex(entries: readonly PackEntry[]): Uint8Array<ArrayBuffer> {
  const index = new Uint8Array(COUNT_BYTES + entries.length * ENTRY_BYTES);
  const numbers = new DataView(index.buffer);
  numbers.setUint32(0, entries.length);
  for (const [position, { digest, bytes, size }] of entries.entries()) {
    const at = COUNT_BYTES + position * ENTRY_BYTES;
    index.set(digest, at);
    numbers.setUint32(at + DIGEST_BYTES, bytes);
    numbers.setUint32(at + DIGEST_BYTES + 4, size);
  }
  return index;
}

/** Decodes the index of a pack. Returns `undefined` if the bytes are not a pack, or do not contain the whole index. */
export function readPackIndex(
  pack: Uint8Array,
): { readonly entries: readonly PackEntry[]; readonly length: number } | undefined {
  if (pack.length < COUNT_BYTES) return undefined;
  const numbers = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  const count = numbers.getUint32(0);
  const length = COUNT_BYTES + count * ENTRY_BYTES;
  if (count > MOST_PACKED_BLOBS || pack.length < length) return undefined;
  const entries = Array.from({ length: count }, (_, position): PackEntry => {
    const at = COUNT_BYTES + position * ENTRY_BYTES;
    const digest = pack.subarray(at, at + DIGEST_BYTES);
    const bytes = numbers.getUint32(at + DIGEST_BYTES);
    return { digest, bytes, size: numbers.getUint32(at + DIGEST_BYTES + 4) };
  });
  return { entries, length };
}
