import { hash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { treeInvalid } from './tree-invalid.ts';

/** Raw bytes that a piece of a tree has at most; a longer line goes on in the next piece. */
export const MAX_PIECE_BYTES = 1024 * 1024;

/** Bytes that one line may have over several pieces: what a reader holds at once, and so what a writer may write. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** One chunk of `/.holdfast/tree`. */
export interface TreePiece {
  /** The zstd-compressed piece: what is sealed. */
  readonly plaintext: Buffer;
  /** SHA-256 of `plaintext`, 32 raw bytes. */
  readonly digest: Buffer;
  /** Bytes of the piece before compression. */
  readonly rawBytes: number;
}

const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 3 } } as const;

/** Equal bytes make equal pieces, as long as the zstd library stays the same. */
export function packPiece(raw: Uint8Array): TreePiece {
  const plaintext = zstdCompressSync(raw, COMPRESSION);
  return { plaintext, digest: hash('sha256', plaintext, 'buffer'), rawBytes: raw.length };
}

/**
 * The raw bytes of a piece.
 *
 * @throws HoldfastError `tree_invalid` with reason `compression` where it is no zstd or unfolds to more than a piece has
 */
export function unpackPiece(plaintext: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(plaintext, { maxOutputLength: MAX_PIECE_BYTES });
  } catch (cause) {
    throw treeInvalid('compression', cause);
  }
}
