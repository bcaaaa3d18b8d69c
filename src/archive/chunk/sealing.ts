import { bufferOf } from '../../base/buffer-of.ts';
import { BLOB_OVERHEAD } from '../../protocol/blob.ts';
import type { Compression } from '../../model/compression.ts';
import { releaseOutput } from '../../base/limits/release-memory.ts';
import { sealChunk } from '../../format/crypto/blob.ts';
import { chunkKeysOf, type ChunkKeys } from '../../format/crypto/chunk-keys.ts';
import { chunkCount, digestAt } from '../../format/chunks/chunk-list.ts';
import { Compressor } from './compression.ts';
import { DigestSet } from '../../format/chunks/digest-set.ts';
import type { FileKind } from './file-kind.ts';
import type { EpochKeys } from '../../format/crypto/keys.ts';

/** Sealing chunks as they are read saves reading and hashing them again. */
export interface SealingRequest {
  readonly chunkSubKeys: EpochKeys;
  readonly compression: Compression;
  /** Receives the concatenated blobs. Chunks that do not fit are not sealed. */
  readonly memory: SharedArrayBuffer;
  /** Chunk list of each path's last version, if it has one. Those chunks are already stored. */
  readonly known: readonly (Uint8Array | undefined)[];
}

/** A position to rewind to. */
export interface SealingMark {
  readonly bytes: number;
  readonly records: number;
}

/** Seals the new chunks of one task's files into the request's memory. */
export class Sealing {
  readonly #keys: ChunkKeys;
  readonly #blobs: Buffer;
  readonly #compressor: Compressor | undefined;
  readonly #records: number[] = [];
  readonly #lengths: number[] = [];
  readonly #known: SealingRequest['known'];
  #skipped: DigestSet | undefined;
  #bytes = 0;

  constructor({ chunkSubKeys, compression, memory, known }: SealingRequest) {
    this.#keys = chunkKeysOf(chunkSubKeys);
    this.#compressor = Compressor.of(compression);
    this.#blobs = Buffer.from(memory);
    this.#known = known;
  }

  get mark(): SealingMark {
    return { bytes: this.#bytes, records: this.#records.length };
  }

  /** Discards the blobs since the mark. */
  rewind({ bytes, records }: SealingMark): void {
    this.#bytes = bytes;
    this.#records.length = records;
    this.#lengths.length = records;
  }

  startFile(index: number, path: string): void {
    const known = this.#known[index];
    this.#skipped = known && knownSet(path, known);
  }

  /** @param record the chunk's index in the task's chunk list */
  seal(record: number, digest: Buffer, plaintext: Uint8Array, kind: FileKind): void {
    if (this.#skipped?.has(digest)) return;
    if (this.#bytes + plaintext.length + BLOB_OVERHEAD > this.#blobs.length) return;
    const frame = this.#compressor?.compress(plaintext, kind);
    const blob = sealChunk(this.#keys.keyOf(digest), plaintext, this.#blobs.subarray(this.#bytes), frame);
    if (frame) releaseOutput(frame);
    this.#bytes += blob.length;
    this.#records.push(record);
    this.#lengths.push(blob.length);
  }

  /** Indexes of the sealed records, in the order of their blobs. */
  sealed(): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(this.#records);
  }

  /** Bytes of each blob. */
  lengths(): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(this.#lengths);
  }
}

/** Caches the set of a large file, whose parts all come with the same list. */
let lastKnown: { readonly path: string; readonly list: Uint8Array; readonly digests: DigestSet } | undefined;

function knownSet(path: string, list: Uint8Array): DigestSet {
  if (lastKnown?.path === path && Buffer.compare(lastKnown.list, list) === 0) return lastKnown.digests;
  const digests = new DigestSet();
  const records = bufferOf(list);
  for (let index = 0; index < chunkCount(list); index += 1) digests.add(digestAt(records, index));
  lastKnown = { path, list, digests };
  return digests;
}
