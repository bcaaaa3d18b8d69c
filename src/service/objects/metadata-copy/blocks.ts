import { createHash, hash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** The unit of comparing and copying: a page of SQLite. */
export const BLOCK_BYTES = 4096;

/** Bytes kept of each block's SHA-256, enough to distinguish two states of one block. */
const DIGEST_BYTES = 16;

/** Bytes that are read at once. */
const READ_BYTES = 256 * BLOCK_BYTES;

/** A block preceded by its number (4 bytes, big endian). */
const RECORD_BYTES = 4 + BLOCK_BYTES;
/** The most blocks in one part. */
const PART_BLOCKS = 2_048;

/** The state of a file, block by block. */
export interface FileState {
  readonly bytes: number;
  /** Hex SHA-256 of the whole file. */
  readonly digest: string;
  /** `DIGEST_BYTES` for each block, concatenated. */
  readonly blocks: Buffer;
}

/**
 * Reads a file that does not change meanwhile, and passes on the blocks that differ from an earlier state, as parts of at most 8 MiB.
 *
 * @param before the earlier state; without it, every block differs
 */
export async function compareBlocks(
  path: string,
  before: Buffer | undefined,
  onPart: (part: Buffer, blocks: number) => Promise<void>,
): Promise<FileState> {
  const file = await open(path);
  try {
    const { size: bytes } = await file.stat();
    const whole = createHash('sha256');
    const digests = Buffer.alloc(Math.ceil(bytes / BLOCK_BYTES) * DIGEST_BYTES);
    const buffer = Buffer.alloc(READ_BYTES);
    let part: Buffer[] = [];
    for (let offset = 0; offset < bytes;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, offset);
      if (bytesRead === 0) throw new Error('the file became shorter');
      whole.update(buffer.subarray(0, bytesRead));
      for (let from = 0; from < bytesRead; from += BLOCK_BYTES) {
        const number = (offset + from) / BLOCK_BYTES;
        const block = buffer.subarray(from, Math.min(from + BLOCK_BYTES, bytesRead));
        const digest = hash('sha256', block, 'buffer').subarray(0, DIGEST_BYTES);
        const at = number * DIGEST_BYTES;
        digest.copy(digests, at);
        if (before?.subarray(at, at + DIGEST_BYTES).equals(digest)) continue;
        const record = Buffer.alloc(RECORD_BYTES);
        record.writeUInt32BE(number);
        block.copy(record, 4);
        part.push(record);
        if (part.length < PART_BLOCKS) continue;
        await onPart(Buffer.concat(part), part.length);
        part = [];
      }
      offset += bytesRead;
    }
    if (part.length > 0) await onPart(Buffer.concat(part), part.length);
    return { bytes, digest: whole.digest('hex'), blocks: digests };
  } finally {
    await file.close();
  }
}

/** Writes a file from parts, of which later ones overwrite earlier ones, and truncates it to `bytes`. */
export async function writeBlocks(path: string, parts: AsyncIterable<Buffer>, bytes: number): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for await (const part of parts) {
      for (let from = 0; from < part.length; from += RECORD_BYTES) {
        const offset = part.readUInt32BE(from) * BLOCK_BYTES;
        if (offset >= bytes) continue;
        await file.write(part, from + 4, Math.min(BLOCK_BYTES, part.length - from - 4), offset);
      }
    }
    await file.truncate(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
