import { hash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { treeInvalid } from './tree-invalid.ts';

/** Maximum raw bytes of a piece; a longer line continues in the next piece. */
export const MAX_PIECE_BYTES = 1024 * 1024;

/** Maximum bytes of one line over several pieces: a reader holds a whole line in memory. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** One chunk of `/.holdfast/tree`. */
export interface TreePiece {
  /** The piece compressed with zstd: what is sealed. */
  readonly plaintext: Buffer;
  /** SHA-256 of `plaintext`, 32 raw bytes. */
  readonly digest: Buffer;
  /** Bytes before compression. */
  readonly rawBytes: number;
}

/** A piece of a tree's records with what the footer needs of it, so that a later tree can reuse it without its content. */
export interface KnownPiece {
  /** Entry path of its first record. */
  readonly firstPath: string;
  /** SHA-256 of the chunk, 32 raw bytes. */
  readonly digest: Buffer;
  /** Bytes of the chunk. */
  readonly size: number;
  /** SHA-256 of its raw bytes, 32 raw bytes. */
  readonly recordsHash: Buffer;
  /** `EntriesHash` of the files whose records end in it, 32 raw bytes. */
  readonly entriesHash: Buffer;
  readonly records: number;
  readonly files: number;
  /** The total size of its files. */
  readonly bytes: number;
}

/** The first is the default; the others yield frames that differ from it and mostly from each other. */
const PACKINGS = [0, 1].flatMap((checksum) => [3, 1, 9].map((level) => ({ level, checksum })));

/**
 * Compresses a piece. Equal bytes make equal pieces as long as the zstd library stays the same.
 *
 * @param isDamaged whether what is stored under a digest is damaged: the piece is then compressed differently
 */
export function packPiece(raw: Uint8Array, isDamaged: (digest: Buffer) => boolean = () => false): TreePiece {
  const pieces = PACKINGS.values().map(({ level, checksum }) => {
    const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: checksum };
    const plaintext = zstdCompressSync(raw, { params });
    return { plaintext, digest: hash('sha256', plaintext, 'buffer'), rawBytes: raw.length };
  });
  let piece: TreePiece | undefined;
  for (piece of pieces) if (!isDamaged(piece.digest)) break;
  return piece!;
}

/**
 * Decompresses a piece.
 *
 * @throws HoldfastError `tree_invalid` with reason `compression` if it is not zstd or too large
 */
export function unpackPiece(plaintext: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(plaintext, { maxOutputLength: MAX_PIECE_BYTES });
  } catch (cause) {
    throw treeInvalid('compression', cause);
  }
}
