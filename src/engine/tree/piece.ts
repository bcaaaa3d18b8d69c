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

/** The first is how pieces are packed; the others give frames that differ from it and mostly from each other. */
const PACKINGS = [0, 1].flatMap((checksum) => [3, 1, 9].map((level) => ({ level, checksum })));

/**
 * Equal bytes make equal pieces, as long as the zstd library stays the same.
 *
 * @param isDamaged whether what is stored under a digest is damaged: the piece then is packed otherwise
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
