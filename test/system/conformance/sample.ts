import { createCipheriv, createDecipheriv, createHash, randomBytes, randomInt } from 'node:crypto';
import { Departure } from './clause.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes that sealing adds to a chunk. */
export const OVERHEAD = IV_BYTES + TAG_BYTES;

/** A chunk with the blob that a client uploads. */
export interface SampleChunk {
  readonly hash: string;
  /** Plaintext bytes. */
  readonly size: number;
  readonly blob: Buffer<ArrayBuffer>;
}

export interface SampleFile {
  readonly path: string;
  readonly modified: string;
  readonly chunks: readonly SampleChunk[];
}

const KEY = randomBytes(32);

let lastByte = randomInt(256);

/**
 * Random bytes, which no service can have stored. Of the 256 chunks of one byte, each is returned only after all others: the
 * clauses of one run need a few that differ.
 */
export function sampleChunk(size: number): SampleChunk {
  const plain = size === 1 ? Buffer.of((lastByte += 1)) : randomBytes(size);
  return { hash: hashOf(plain), size, blob: seal(plain) };
}

/** The chunk sealed again with another IV: different bytes, equally valid. */
export function sealedAgain(chunk: SampleChunk): Buffer<ArrayBuffer> {
  return seal(open(chunk.blob));
}

/** Blob layout: IV, ciphertext, GCM tag. */
function seal(plain: Buffer): Buffer<ArrayBuffer> {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', KEY, iv, { authTagLength: TAG_BYTES });
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function open(blob: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', KEY, blob.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(blob.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(blob.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** Verifies a downloaded blob as a client does: GCM tag, then digest. @throws Departure */
export function openChecked(hash: string, blob: Buffer): Buffer {
  if (blob.length <= OVERHEAD) throw new Departure(`the blob of ${hash} has ${blob.length} bytes`);
  let plain: Buffer;
  try {
    plain = open(blob);
  } catch {
    throw new Departure(`the GCM tag of the blob of ${hash} does not fit`);
  }
  if (hashOf(plain) !== hash) throw new Departure(`the blob of ${hash} has another plaintext`);
  return plain;
}

export function sampleFile(path: string, chunks: readonly SampleChunk[], modified: string): SampleFile {
  return { path, chunks, modified };
}

/** A file entry of a backup manifest. */
export function entryOf({ path, modified, chunks }: SampleFile) {
  return { path, size: sizeOf(chunks), modified, chunks: chunks.map(({ hash, size }) => ({ hash, size })) };
}

export function sizeOf(chunks: readonly SampleChunk[]): number {
  return chunks.reduce((sum, { size }) => sum + size, 0);
}

/** The distinct chunks of files. */
export function chunksOf(files: readonly SampleFile[]): ReadonlyMap<string, SampleChunk> {
  return new Map(files.flatMap(({ chunks }) => chunks.map((chunk) => [chunk.hash, chunk] as const)));
}

function hashOf(plain: Buffer): string {
  return `sha256:${createHash('sha256').update(plain).digest('hex')}`;
}
