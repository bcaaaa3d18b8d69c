import { hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import type { Compression } from '../../model/compression.ts';
import { sealChunk, type BlobForm, type BlobKind } from '../../format/crypto/blob.ts';
import { chunkKeysOf, envelopeKey } from '../../format/crypto/chunk-keys.ts';
import { releaseOutput } from '../../base/limits/release-memory.ts';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { refuseOnline } from '../../os/filesystem/online/refuse-online.ts';
import type { TaskAnswer } from '../../base/limits/thread-pool.ts';
import { Compressor } from './compression.ts';
import { FileKind, readBeginning } from './file-kind.ts';
import type { EpochKeys } from '../../format/crypto/keys.ts';
import { READ_FLAGS } from '../../os/filesystem/read-flags.ts';
import { KIB } from '../../model/units.ts';

/** Position of one chunk in a file. */
export interface ChunkSource {
  /** Entry path. */
  readonly path: string;
  readonly offset: number;
  readonly size: number;
  /** Tree and key envelope are compressed already. The envelope is sealed with a public key. */
  readonly kind: BlobKind;
}

export interface SealChunksInput {
  readonly chunkSubKeys: EpochKeys;
  readonly sources: readonly ChunkSource[];
  /** 32 raw bytes each, in the order of `sources`. */
  readonly digests: Uint8Array;
  readonly compression: Compression;
  /** `packed` by default. Of the key envelope: `compression` says it of the others. */
  readonly form?: BlobForm;
  /** Fails files that are online only with `EONLINE`, in place of downloading them. */
  readonly skipsOnline?: boolean;
  /** Receives the blobs; large enough for all of them. */
  readonly memory: SharedArrayBuffer;
}

export interface SealChunksOutput {
  /** Concatenated blobs, in the input's memory. */
  readonly blobs: Uint8Array<SharedArrayBuffer>;
  /** Bytes of each blob; 0 for a chunk that could not be read or has changed. */
  readonly lengths: Uint32Array;
  /** `changed` or a system error code, by index in `sources`. */
  readonly failures: readonly (readonly [index: number, reason: string])[];
}

const DIGEST_BYTES = 32;
let plaintext = Buffer.allocUnsafeSlow(64 * KIB);

/**
 * Reads chunks again, checks each against its digest, since a file may change between scan and upload, and seals it. Runs in
 * a worker thread.
 */
export function sealChunks(input: SealChunksInput): TaskAnswer<SealChunksOutput> {
  const { sources, digests } = input;
  const blobs = Buffer.from(input.memory);
  const lengths = new Uint32Array(sources.length);
  const failures: [number, string][] = [];
  const keys = chunkKeysOf(input.chunkSubKeys);
  const compressor = Compressor.of(input.compression);
  using reader = new ChunkReader(input.skipsOnline ?? false);
  let used = 0;
  for (const [index, source] of sources.entries()) {
    const digest = digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
    try {
      const bytes = reader.read(source);
      if (!bytes || !hash('sha256', bytes, 'buffer').equals(digest)) {
        failures.push([index, 'changed']);
        continue;
      }
      const key = source.kind === 'envelope' ? envelopeKey(digest, input.form ?? 'packed') : keys.keyOf(digest);
      const frame = source.kind === 'data' ? compressor?.compress(bytes, reader.kind) : undefined;
      lengths[index] = sealChunk(key, bytes, blobs.subarray(used), frame).length;
      if (frame) releaseOutput(frame);
      used += lengths[index];
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === undefined) throw error;
      failures.push([index, code]);
    }
  }
  return { value: { blobs: new Uint8Array(input.memory, 0, used), lengths, failures }, transfer: [lengths.buffer] };
}

/** Keeps a file open while consecutive chunks belong to it. */
class ChunkReader implements Disposable {
  readonly #skipsOnline: boolean;
  #path: string | undefined;
  #file = -1;
  #kind: FileKind | undefined;

  constructor(skipsOnline: boolean) {
    this.#skipsOnline = skipsOnline;
  }

  /** Of the file that was read last. */
  get kind(): FileKind {
    const path = this.#path ?? '';
    return (this.#kind ??= new FileKind(path, (bytes) => readBeginning(this.#file, bytes)));
  }

  /** Returns a view that the next call overwrites; `undefined` if the file is too short. */
  read({ path, offset, size }: ChunkSource): Buffer | undefined {
    if (path !== this.#path) {
      this[Symbol.dispose]();
      if (this.#skipsOnline) refuseOnline(path);
      this.#file = openSync(fileSystemPath(path), READ_FLAGS);
      this.#path = path;
      this.#kind = undefined;
    }
    if (size > plaintext.length) plaintext = Buffer.allocUnsafeSlow(Math.max(size, plaintext.length * 2));
    for (let done = 0; done < size;) {
      const read = readSync(this.#file, plaintext, done, size - done, offset + done);
      if (read === 0) return undefined;
      done += read;
    }
    return plaintext.subarray(0, size);
  }

  [Symbol.dispose](): void {
    if (this.#path !== undefined) closeSync(this.#file);
    this.#path = undefined;
  }
}
