import { hash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { ListedPiece } from './record.ts';
import { treeInvalid } from './tree-invalid.ts';
import { MIB } from '../../model/units.ts';

/** Maximum raw bytes of a piece, and of one chunk of a longer line. */
export const MAX_PIECE_BYTES = MIB;

/** Maximum bytes of one line: a reader holds a whole line in memory. Enough for the chunks of a file of 2.9 TB. */
export const MAX_LINE_BYTES = 128 * MIB;

/** One chunk of `/.holdfast/tree`. */
export interface TreeChunk {
  /** A zstd frame: what is sealed. */
  readonly plaintext: Buffer;
  /** SHA-256 of `plaintext`, 32 raw bytes. */
  readonly digest: Buffer;
  /** Bytes before compression. */
  readonly rawBytes: number;
}

/** A piece of a tree's records with its sums, so that a later tree can reuse it without its content. */
export interface KnownPiece extends ListedPiece {
  readonly files: number;
  /** The total size of its files. */
  readonly bytes: number;
}

/** The first is the default; the others yield frames that differ from it and mostly from each other. */
const PACKINGS = [0, 1].flatMap((checksum) => [3, 1, 9].map((level) => ({ level, checksum })));

/**
 * Compresses the raw bytes of a chunk. Equal bytes make equal chunks as long as the zstd library stays the same.
 *
 * @param isDamaged whether what is stored under a digest is damaged: the chunk is then compressed differently
 */
export function packChunk(raw: Uint8Array, isDamaged: (digest: Buffer) => boolean = () => false): TreeChunk {
  const chunks = PACKINGS.values().map(({ level, checksum }) => {
    const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: checksum };
    const plaintext = zstdCompressSync(raw, { params });
    return { plaintext, digest: hash('sha256', plaintext, 'buffer'), rawBytes: raw.length };
  });
  let chunk: TreeChunk | undefined;
  for (chunk of chunks) if (!isDamaged(chunk.digest)) break;
  return chunk!;
}

/**
 * Decompresses a chunk.
 *
 * @throws HoldfastError `tree_invalid` with reason `compression` if it is not zstd or larger than `most` bytes
 */
export function unpackChunk(plaintext: Uint8Array, most: number): Buffer {
  try {
    return zstdDecompressSync(plaintext, { maxOutputLength: most });
  } catch (cause) {
    throw treeInvalid('compression', cause);
  }
}
