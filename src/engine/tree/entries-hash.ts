import { createHash } from 'node:crypto';
import { hexDigestOf } from '../../protocol/chunk.ts';
import { comparePaths, isReservedPath } from '../../protocol/path.ts';

const DIGEST_BYTES = 32;
/** Lengths of path (4), size (8), modified (8) and number of chunks (4). */
const FIXED_BYTES = 24;
const BUFFER_BYTES = 64 * 1024;
const BYTES_PER_UNIT = 3;

/** A file as the manifest has it. */
export interface HashedFile {
  /** The path as it is sent: sealed if names are private. */
  readonly path: string;
  readonly size: number;
  /** Whole milliseconds since the epoch. */
  readonly modified: number;
  /** Records of `stride` bytes, one for each chunk in file order, that begin with its digest's 32 raw bytes. */
  readonly chunks: Uint8Array;
  readonly stride: number;
}

/**
 * Hashes (SHA-256) the file entries of a manifest whose records end in one piece of the tree, in the order of their
 * records. Together these hashes tie a tree to its manifest. An entry is hashed as
 *
 *     uint32 bytes of path ‖ path (UTF-8) ‖ uint64 size ‖ int64 modified (ms since the epoch) ‖ uint32 chunks ‖ digests
 *
 * with big-endian numbers, the path as it is sent (sealed if names are private), and digests of 32 raw bytes. Chunk sizes
 * are not hashed, since a restore manifest has none.
 */
export class EntriesHash {
  #hash = createHash('sha256');
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #used = 0;

  /** Adds the next entry. A reserved one is a bug of the caller and throws a plain Error. */
  add(file: HashedFile): void {
    const { path, chunks, stride } = file;
    if (isReservedPath(path)) throw new Error(`a reserved entry is not hashed: ${path}`);
    const count = chunks.length / stride;
    if (!Number.isInteger(count)) throw new RangeError(`chunk records have ${stride} bytes each`);
    this.#reserve(path.length * BYTES_PER_UNIT + FIXED_BYTES);
    this.#append(file, count);
    for (let start = 0; start < chunks.length; start += stride) this.#appendDigest(chunks, start);
  }

  /** Returns the hash of the entries since the last call, 32 raw bytes. */
  endPiece(): Buffer {
    this.#flush();
    const digest = this.#hash.digest();
    this.#hash = createHash('sha256');
    return digest;
  }

  #append({ path, size, modified }: HashedFile, count: number): void {
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
    // Byte by byte: creating a view for each chunk would cost more.
    for (let index = 0; index < DIGEST_BYTES; index += 1) this.#buffer[this.#used + index] = chunks[start + index]!;
    this.#used += DIGEST_BYTES;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length - this.#used) return;
    this.#flush();
    // A sealed path is several times as long as the clear one, which may have 32,767 characters on Windows.
    if (bytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(bytes);
  }

  #flush(): void {
    this.#hash.update(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }
}

/** Computes the entries hash of a whole tree from its manifest: SHA-256 over the concatenated hashes of its pieces. */
export class TreeEntriesHash {
  readonly #pieceEnds: readonly (string | undefined)[];
  readonly #whole = createHash('sha256');
  readonly #entries = new EntriesHash();
  #piece = 0;
  #isOpen = false;

  /** @param pieceEnds for each piece of records, the clear path of the last record that ends in it, if one does */
  constructor(pieceEnds: readonly (string | undefined)[]) {
    this.#pieceEnds = pieceEnds;
  }

  /**
   * Adds the next file in the order of clear paths.
   *
   * @param path the clear path
   */
  add(path: string, file: HashedFile): void {
    for (; this.#piece < this.#pieceEnds.length; this.#endPiece()) {
      const end = this.#pieceEnds[this.#piece];
      if (end !== undefined && comparePaths(path, end) <= 0) break;
    }
    this.#entries.add(file);
    this.#isOpen = true;
  }

  /** Returns the hash in hex. Must be the last call. */
  digest(): string {
    // A file after the last record belongs to no piece: an extra one makes the hash differ from the tree's.
    while (this.#isOpen || this.#piece < this.#pieceEnds.length) this.#endPiece();
    return this.#whole.digest('hex');
  }

  #endPiece(): void {
    this.#whole.update(this.#entries.endPiece());
    this.#piece += 1;
    this.#isOpen = false;
  }
}

/** Concatenates the raw digests of chunk hashes (`sha256:<hex>`), for a `HashedFile` with a stride of 32. */
export function packDigests(hashes: readonly string[]): Buffer {
  const digests = Buffer.allocUnsafe(hashes.length * DIGEST_BYTES);
  hashes.forEach((hash, index) => digests.write(hexDigestOf(hash), index * DIGEST_BYTES, 'hex'));
  return digests;
}
