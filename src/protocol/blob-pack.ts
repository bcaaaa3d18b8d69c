import { z } from 'zod';

/**
 * Many small blobs in one body, where a request for each would cost more than its bytes: a number of entries, the entries,
 * and then the blobs one after the other. An entry has the 32 bytes of the chunk's digest and the bytes of its blob, 0 for
 * a blob that there is none of. Numbers have 32 bits, the highest first.
 */
export const PACK_MEDIA_TYPE = 'application/vnd.holdfast.pack';

/** A larger blob is better sent alone. */
export const LARGEST_PACKED_BLOB = 256 * 1024;
export const MOST_PACKED_BLOBS = 1024;
/** Of a body. */
export const LARGEST_PACK = 8 * 1024 * 1024;

const COUNT_BYTES = 4;
const DIGEST_BYTES = 32;
const ENTRY_BYTES = DIGEST_BYTES + 4;

/** For `POST /functions/v1/backup/pack` and `…/restore/pack`: an address for packs of one session. */
export const backupPackRequest = z.object({ session_id: z.string().min(1) });
export const restorePackRequest = z.object({ restore_session_id: z.string().min(1) });
export const packResponse = z.object({ url: z.url(), expires_in: z.number().positive() });
export type PackResponse = z.infer<typeof packResponse>;

/** What a pack of a backup session came to: those of its blobs that were not there before. */
export const packStored = z.object({ blobs: z.int().nonnegative(), bytes: z.int().nonnegative() });

export interface PackEntry {
  /** 32 bytes. */
  readonly digest: Uint8Array;
  /** Of the blob. */
  readonly bytes: number;
}

/** What stands before the blobs. */
export function packIndex(entries: readonly PackEntry[]): Uint8Array<ArrayBuffer> {
  const index = new Uint8Array(COUNT_BYTES + entries.length * ENTRY_BYTES);
  const numbers = new DataView(index.buffer);
  numbers.setUint32(0, entries.length);
  for (const [position, { digest, bytes }] of entries.entries()) {
    const at = COUNT_BYTES + position * ENTRY_BYTES;
    index.set(digest, at);
    numbers.setUint32(at + DIGEST_BYTES, bytes);
  }
  return index;
}

/** The index of a pack and where its blobs begin; nothing where the bytes are no pack, or not yet the whole index. */
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
    return { digest: pack.subarray(at, at + DIGEST_BYTES), bytes: numbers.getUint32(at + DIGEST_BYTES) };
  });
  return { entries, length };
}
