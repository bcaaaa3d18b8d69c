import { createHash } from 'node:crypto';
import { hexDigestOf } from '../../protocol/chunk.ts';
import { comparePaths, isReservedPath } from '../../protocol/path.ts';

const DIGEST_BYTES = 32;
/** Lengths of path (4), size (8), modified (8) and number of chunks (4). */
const FIXED_BYTES = 24;
const BUFFER_BYTES = 64 * 1024;
const BYTES_PER_UNIT = 3;

/**
 * SHA-256 over the file entries of a manifest whose records end in one piece of the tree, in the order of their records.
 * Together these tie a tree to the manifest that it came with. An entry is hashed as
 *
 *     uint32 bytes of path ‖ path (UTF-8) ‖ uint64 size ‖ int64 modified (ms since the epoch) ‖ uint32 chunks ‖ digests
 *
 * all numbers big-endian, the path as it is sent (sealed, where names are private), each digest 32 raw bytes. Chunk sizes
 * are left out, since a restore manifest has none.
 */
export class EntriesHash {
  #hash = createHash('sha256');
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #used = 0;

  /**
   * Takes the next entry. A reserved one is a bug of the caller and throws a plain Error.
   *
   * @param modified milliseconds since the epoch, whole
   * @param chunks records of `stride` bytes, one for each chunk in file order, that begin with its digest's 32 raw bytes
   */
  add(path: string, size: number, modified: number, chunks: Uint8Array, stride: number = DIGEST_BYTES): void {
    if (isReservedPath(path)) throw new Error(`a reserved entry is not hashed: ${path}`);
    const count = chunks.length / stride;
    if (!Number.isInteger(count)) throw new RangeError(`chunk records have ${stride} bytes each`);
    this.#reserve(path.length * BYTES_PER_UNIT + FIXED_BYTES);
    this.#append(path, size, modified, count);
    for (let start = 0; start < chunks.length; start += stride) this.#appendDigest(chunks, start);
  }

  /** The hash of the entries since the last call, 32 raw bytes. */
  endPiece(): Buffer {
    this.#flush();
    const digest = this.#hash.digest();
    this.#hash = createHash('sha256');
    return digest;
  }

  #append(path: string, size: number, modified: number, count: number): void {
    const buffer = this.#buffer;
    const start = this.#used;
    const pathBytes = buffer.write(path, start + 4);
    buffer.writeUInt32BE(pathBytes, start);
    let offset = start + 4 + pathBytes;
    offset = buffer.writeUInt32BE(Math.floor(size / 2 ** 32), offset);
    offset = buffer.writeUInt32BE(size % 2 ** 32, offset);
    offset = buffer.writeInt32BE(Math.floor(modified / 2 ** 32), offset);
    offset = buffer.writeUInt32BE(modified - Math.floor(modified / 2 ** 32) * 2 ** 32, offset);
    this.#used = buffer.writeUInt32BE(count, offset);
  }

  #appendDigest(chunks: Uint8Array, start: number): void {
    this.#reserve(DIGEST_BYTES);
    // Byte by byte: a view for each chunk would cost more than the copy.
    for (let index = 0; index < DIGEST_BYTES; index += 1) this.#buffer[this.#used + index] = chunks[start + index]!;
    this.#used += DIGEST_BYTES;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length - this.#used) return;
    this.#flush();
    // A sealed path is several times as long as the clear one, and on Windows that may have 32,767 characters.
    if (bytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(bytes);
  }

  #flush(): void {
    this.#hash.update(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }
}

/** The entries hash of a whole tree, made from its manifest: SHA-256 over the hashes of its pieces, one after the other. */
export class TreeEntriesHash {
  readonly #pieceEnds: readonly (string | undefined)[];
  readonly #whole = createHash('sha256');
  readonly #entries = new EntriesHash();
  #piece = 0;
  #isOpen = false;

  /** @param pieceEnds for each piece of records the clear path of the last record that ends in it, where one does */
  constructor(pieceEnds: readonly (string | undefined)[]) {
    this.#pieceEnds = pieceEnds;
  }

  /**
   * Takes the next file in the order of clear paths.
   *
   * @param sent the path as it is sent
   * @param chunks digests of 32 raw bytes each
   */
  add(path: string, sent: string, size: number, modified: number, chunks: Uint8Array): void {
    for (; this.#piece < this.#pieceEnds.length; this.#endPiece()) {
      const end = this.#pieceEnds[this.#piece];
      if (end !== undefined && comparePaths(path, end) <= 0) break;
    }
    this.#entries.add(sent, size, modified, chunks);
    this.#isOpen = true;
  }

  /** Hex. Ends this object's use. */
  digest(): string {
    // A file behind all records belongs to no piece: one more makes the hash another one than the tree's.
    while (this.#isOpen || this.#piece < this.#pieceEnds.length) this.#endPiece();
    return this.#whole.digest('hex');
  }

  #endPiece(): void {
    this.#whole.update(this.#entries.endPiece());
    this.#piece += 1;
    this.#isOpen = false;
  }
}

/** The raw digests of chunk hashes (`sha256:<hex>`), one after the other, as `EntriesHash.add` takes them. */
export function packDigests(hashes: readonly string[]): Buffer {
  const digests = Buffer.allocUnsafe(hashes.length * DIGEST_BYTES);
  hashes.forEach((hash, index) => digests.write(hexDigestOf(hash), index * DIGEST_BYTES, 'hex'));
  return digests;
}
