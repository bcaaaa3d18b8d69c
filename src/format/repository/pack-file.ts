import { bufferOf } from '../../base/buffer-of.ts';
import type { EpochKeys } from '../crypto/keys.ts';
import { DamagedFileError } from './damage.ts';
import { openBytes, sealBytes, sealContext, SEAL_OVERHEAD } from './sealed-bytes.ts';
import { MIB } from '../../model/units.ts';

/** What a blob holds. Repair finds trees and key envelopes by it. */
export type BlobKind = 'data' | 'tree' | 'envelope';

/** In the order of their numbers in a table. */
export const BLOB_KINDS: readonly BlobKind[] = ['data', 'tree', 'envelope'];

/**
 * Packs in which each blob stands that describes restore points. A lost pack then takes the contents in it, and no other
 * (docs/decisions/0329-metadata-in-two-packs.md).
 */
export const METADATA_COPIES = 2;

/** In how many packs a blob stands. */
export function copiesOfKind(kind: BlobKind): number {
  return kind === 'data' ? 1 : METADATA_COPIES;
}

export interface PackedBlob {
  /** 32 bytes: SHA-256 of the plaintext. */
  readonly digest: Uint8Array;
  /** Bytes of the blob. */
  readonly length: number;
  /** Bytes of the plaintext. */
  readonly size: number;
  readonly kind: BlobKind;
}

/** A blob with its position in the pack. */
export interface PlacedBlob extends PackedBlob {
  readonly offset: number;
}

const DIGEST_BYTES = 32;
/** Digest, length, size and kind. */
export const TABLE_RECORD_BYTES = 41;
const MAGIC = Buffer.from('HFPACK01');
/** Length of the sealed table, and the magic. */
export const PACK_TRAILER_BYTES = 4 + MAGIC.length;

/** The largest pack that is read. */
export const LARGEST_PACK_BYTES = 128 * MIB;

/** Encodes a pack's table in the order of its blobs. */
export function encodeTable(blobs: readonly PackedBlob[]): Buffer {
  const table = Buffer.allocUnsafe(blobs.length * TABLE_RECORD_BYTES);
  let at = 0;
  for (const { digest, length, size, kind } of blobs) {
    table.set(digest, at);
    table.writeUInt32BE(length, at + DIGEST_BYTES);
    table.writeUInt32BE(size, at + DIGEST_BYTES + 4);
    table[at + DIGEST_BYTES + 8] = BLOB_KINDS.indexOf(kind);
    at += TABLE_RECORD_BYTES;
  }
  return table;
}

/**
 * Decodes an opened table. Blobs of a kind that a newer program added count as data.
 *
 * @returns `undefined` if it is malformed
 */
export function decodeTable(table: Uint8Array): PlacedBlob[] | undefined {
  if (table.length === 0 || table.length % TABLE_RECORD_BYTES !== 0) return undefined;
  const view = bufferOf(table);
  const blobs: PlacedBlob[] = [];
  let offset = 0;
  for (let at = 0; at < view.length; at += TABLE_RECORD_BYTES) {
    const length = view.readUInt32BE(at + DIGEST_BYTES);
    const size = view.readUInt32BE(at + DIGEST_BYTES + 4);
    const kind = BLOB_KINDS[view[at + DIGEST_BYTES + 8]!] ?? 'data';
    if (length === 0 || size === 0) return undefined;
    blobs.push({ digest: view.subarray(at, at + DIGEST_BYTES), offset, length, size, kind });
    offset += length;
  }
  return offset <= LARGEST_PACK_BYTES ? blobs : undefined;
}

/** Bytes of the blobs in a table that was decoded. */
export function blobBytesOf(blobs: readonly PlacedBlob[]): number {
  const last = blobs.at(-1);
  return last ? last.offset + last.length : 0;
}

/**
 * Encodes what follows the blobs in a pack: the sealed table and the trailer.
 *
 * @param keys `RepositoryKeys.pack`
 */
export function encodePackEnd(keys: EpochKeys, repository: string, table: Uint8Array): Buffer {
  const sealed = sealBytes(keys, table, sealContext('pack-table', repository));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(sealed.length);
  return Buffer.concat([sealed, length, MAGIC]);
}

/** Bytes of a pack whose table has so many records. */
export function packBytes(blobBytes: number, records: number): number {
  return blobBytes + records * TABLE_RECORD_BYTES + SEAL_OVERHEAD + PACK_TRAILER_BYTES;
}

/** Bytes of the pack with these blobs: its table says how long it is. */
export function packBytesOf(blobs: readonly PlacedBlob[]): number {
  return packBytes(blobBytesOf(blobs), blobs.length);
}

/**
 * Reads how many bytes the sealed table has, from the last `PACK_TRAILER_BYTES` of a pack.
 *
 * @throws DamagedFileError
 */
export function sealedTableBytes(file: string, trailer: Uint8Array, fileBytes: number): number {
  const view = bufferOf(trailer);
  if (view.length !== PACK_TRAILER_BYTES || !view.subarray(4).equals(MAGIC))
    throw new DamagedFileError(file, 'content');
  const length = view.readUInt32BE(0);
  if (length < SEAL_OVERHEAD || length > fileBytes - PACK_TRAILER_BYTES) throw new DamagedFileError(file, 'content');
  return length;
}

/**
 * Opens the sealed table of a pack and checks that it accounts for every byte before it.
 *
 * @throws DamagedFileError
 */
export function openPackTable(
  { keys, repository, file }: { readonly keys: EpochKeys; readonly repository: string; readonly file: string },
  sealed: Uint8Array,
  fileBytes: number,
): { readonly table: Buffer; readonly blobs: readonly PlacedBlob[] } {
  const table = openBytes(keys, sealed, sealContext('pack-table', repository));
  if (!table) throw new DamagedFileError(file, 'sealed');
  const blobs = decodeTable(table);
  const expected = fileBytes - PACK_TRAILER_BYTES - sealed.length;
  if (!blobs || blobBytesOf(blobs) !== expected) throw new DamagedFileError(file, 'content');
  return { table, blobs };
}
