import { BLOB_OVERHEAD } from '../../protocol/chunk.ts';
import { sealChunk } from '../crypto/blob.ts';
import { chunkKeysOf, type ChunkKeys } from '../crypto/chunk-keys.ts';
import { chunkCount, digestAt } from './chunk-list.ts';
import { DigestSet } from './digest-set.ts';

/** Sealing what is read while it is at hand saves reading and hashing it once more. */
export interface SealingRequest {
  readonly chunkSubKey: Uint8Array;
  /** Where the blobs go, one after the other. A chunk that finds no room is left out. */
  readonly memory: SharedArrayBuffer;
  /** For each path the chunk list of its last version, where it has one: those chunks are stored already. */
  readonly known: readonly (Uint8Array | undefined)[];
}

/** How far sealing was. */
export interface SealingMark {
  readonly bytes: number;
  readonly records: number;
}

/** Seals the chunks of one task's files into the memory that was given, but for those that are known. */
export class Sealing {
  readonly #keys: ChunkKeys;
  readonly #blobs: Buffer;
  readonly #records: number[] = [];
  readonly #known: SealingRequest['known'];
  #skipped: DigestSet | undefined;
  #bytes = 0;

  constructor({ chunkSubKey, memory, known }: SealingRequest) {
    this.#keys = chunkKeysOf(chunkSubKey);
    this.#blobs = Buffer.from(memory);
    this.#known = known;
  }

  get mark(): SealingMark {
    return { bytes: this.#bytes, records: this.#records.length };
  }

  /** Forgets what was sealed since then. */
  rewind({ bytes, records }: SealingMark): void {
    this.#bytes = bytes;
    this.#records.length = records;
  }

  startFile(index: number, path: string): void {
    const known = this.#known[index];
    this.#skipped = known && knownSet(path, known);
  }

  /** @param record where the chunk stands in the task's chunk list */
  seal(record: number, digest: Buffer, plaintext: Uint8Array): void {
    if (this.#skipped?.has(digest)) return;
    const end = this.#bytes + plaintext.length + BLOB_OVERHEAD;
    if (end > this.#blobs.length) return;
    sealChunk(this.#keys.keyOf(digest), plaintext, this.#blobs.subarray(this.#bytes, end));
    this.#bytes = end;
    this.#records.push(record);
  }

  /** The records that were sealed, in the order of their blobs. */
  sealed(): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(this.#records);
  }
}

/** A large file comes in many parts, each with the whole list of its last version. */
let lastKnown: { readonly path: string; readonly list: Uint8Array; readonly digests: DigestSet } | undefined;

function knownSet(path: string, list: Uint8Array): DigestSet {
  if (lastKnown?.path === path && Buffer.compare(lastKnown.list, list) === 0) return lastKnown.digests;
  const digests = new DigestSet();
  const records = Buffer.from(list.buffer, list.byteOffset, list.byteLength);
  for (let index = 0; index < chunkCount(list); index += 1) digests.add(digestAt(records, index));
  lastKnown = { path, list, digests };
  return digests;
}
