import { createHash } from 'node:crypto';
import { hexDigestOf } from '../../protocol/chunk.ts';
import { comparePaths, isReservedPath } from '../../protocol/path.ts';

const DIGEST_BYTES = 32;
/** Lengths of path (4), size (8), modified (8) and number of chunks (4). */
const FIXED_BYTES = 24;
const BUFFER_BYTES = 64 * 1024;
const BYTES_PER_UNIT = 3;

/**
 * SHA-256 over the file entries of a manifest but the reserved ones, in `comparePaths` order of their paths as they are
 * sent (sealed, where names are private). It ties a tree to the manifest that it came with. An entry is hashed as
 *
 *     uint32 bytes of path ‖ path (UTF-8) ‖ uint64 size ‖ int64 modified (ms since the epoch) ‖ uint32 chunks ‖ digests
 *
 * all numbers big-endian, each digest 32 raw bytes. Chunk sizes are left out, since a restore manifest has none.
 */
export class EntriesHash {
  readonly #hash = createHash('sha256');
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #used = 0;
  #lastPath: string | undefined;

  /**
   * Takes the next entry. Entries out of order and reserved ones are a bug of the caller and throw a plain Error.
   *
   * @param modified milliseconds since the epoch, whole
   * @param digests the file's chunk digests in order, 32 raw bytes each, one after the other
   */
  add(path: string, size: number, modified: number, digests: Uint8Array): void {
    if (isReservedPath(path)) throw new Error(`a reserved entry is not hashed: ${path}`);
    if (this.#lastPath !== undefined && comparePaths(this.#lastPath, path) >= 0) {
      throw new Error(`manifest entries out of order at ${JSON.stringify(path)}`);
    }
    if (digests.length % DIGEST_BYTES !== 0) throw new RangeError('digests have 32 bytes each');
    this.#lastPath = path;
    this.#reserve(path.length * BYTES_PER_UNIT + FIXED_BYTES);
    this.#append(path, size, modified, digests.length / DIGEST_BYTES);
    this.#appendDigests(digests);
  }

  /** The hash of all entries, hex. Ends this object's use. */
  digest(): string {
    this.#flush();
    return this.#hash.digest('hex');
  }

  #append(path: string, size: number, modified: number, chunks: number): void {
    const buffer = this.#buffer;
    const start = this.#used;
    const pathBytes = buffer.write(path, start + 4);
    buffer.writeUInt32BE(pathBytes, start);
    let offset = start + 4 + pathBytes;
    offset = buffer.writeUInt32BE(Math.floor(size / 2 ** 32), offset);
    offset = buffer.writeUInt32BE(size % 2 ** 32, offset);
    offset = buffer.writeInt32BE(Math.floor(modified / 2 ** 32), offset);
    offset = buffer.writeUInt32BE(modified - Math.floor(modified / 2 ** 32) * 2 ** 32, offset);
    this.#used = buffer.writeUInt32BE(chunks, offset);
  }

  #appendDigests(digests: Uint8Array): void {
    if (digests.length > BUFFER_BYTES - this.#used) this.#flush();
    if (digests.length > BUFFER_BYTES) {
      this.#hash.update(digests);
      return;
    }
    this.#buffer.set(digests, this.#used);
    this.#used += digests.length;
  }

  #reserve(bytes: number): void {
    if (bytes > BUFFER_BYTES) throw new RangeError('a path has at most 20,000 characters');
    if (bytes > BUFFER_BYTES - this.#used) this.#flush();
  }

  #flush(): void {
    this.#hash.update(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }
}

/** The raw digests of chunk hashes (`sha256:<hex>`), one after the other, as `EntriesHash.add` takes them. */
export function packDigests(hashes: readonly string[]): Buffer {
  const digests = Buffer.allocUnsafe(hashes.length * DIGEST_BYTES);
  hashes.forEach((hash, index) => digests.write(hexDigestOf(hash), index * DIGEST_BYTES, 'hex'));
  return digests;
}
