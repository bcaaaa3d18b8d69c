import { constants, zstdDecompressSync } from 'node:zlib';

/** The first byte of a blob's IV: how the plaintext was packed before it was sealed. */
export const AS_IT_IS = 0;
export const ZSTD = 1;

/** A frame's window has at most 4 MiB, the size of the largest chunk, whatever the frame says. */
const PARAMS = { [constants.ZSTD_d_windowLogMax]: 22 };

const MAGIC = 0xfd2fb528;
const BLOCK_HEADER_BYTES = 3;
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;
const CHECKSUM_BYTES = 4;
/** zlib's smallest output buffer. */
const LEAST_BUFFER = 64;

/**
 * Decompresses one zstd frame.
 *
 * @param most bytes of plaintext; decompression stops at the first byte beyond
 * @returns `undefined` if the bytes are not exactly one valid frame of at most that size
 */
export function unpackFrame(frame: Uint8Array, most: number): Buffer | undefined {
  const header = readFrame(frame);
  if (!header) return undefined;
  // The size that the frame claims only chooses the output buffer. One byte more saves a second call at its end.
  const chunkSize = Math.max(LEAST_BUFFER, Math.min(header.claimed ?? most, most) + 1);
  try {
    return zstdDecompressSync(frame, { params: PARAMS, maxOutputLength: most, chunkSize });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/**
 * Reads a frame's headers (RFC 8878, section 3.1.1). zlib ignores what follows a frame, so the frame's own length has to be
 * found out.
 *
 * @returns the content's size if the frame contains it; `undefined` unless the bytes are one frame without a dictionary
 */
function readFrame(bytes: Uint8Array): { readonly claimed: number | undefined } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 6 || view.getUint32(0, true) !== MAGIC) return undefined;
  const descriptor = bytes[4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const hasDictionary = (descriptor & 0x03) !== 0;
  if (hasDictionary) return undefined;
  const sizeAt = isSingleSegment ? 5 : 6;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const start = sizeAt + sizeBytes;
  if (start > bytes.length) return undefined;
  const end = blocksEnd(bytes, start);
  const checksum = (descriptor & 0x04) === 0 ? 0 : CHECKSUM_BYTES;
  if (end === undefined || end + checksum !== bytes.length) return undefined;
  return { claimed: claimedSize(view, sizeAt, sizeBytes) };
}

/** The end of the last block. */
function blocksEnd(bytes: Uint8Array, start: number): number | undefined {
  for (let at = start; at + BLOCK_HEADER_BYTES <= bytes.length;) {
    const header = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
    const type = (header >> 1) & 3;
    if (type === RESERVED_BLOCK) return undefined;
    at += BLOCK_HEADER_BYTES + (type === RLE_BLOCK ? 1 : header >> 3);
    if ((header & 1) === 1) return at;
  }
  return undefined;
}

function claimedSize(view: DataView, at: number, bytes: number): number | undefined {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  if (bytes === 4) return view.getUint32(at, true);
  return bytes === 8 ? Number(view.getBigUint64(at, true)) : undefined;
}
