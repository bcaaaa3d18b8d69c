import { hexDigestOf } from '../../protocol/chunk-hash.ts';
import type { BlobSource } from '../../remote/ports.ts';
import { KIB } from '../../model/units.ts';

/** A chunk to be opened: its sealed blob, or where this restore has written it, or `null` if it is missing. */
export type ChunkInput = Uint8Array | WrittenChunk | null;

/** A chunk that can be read from a file. */
export interface WrittenChunk {
  readonly path: string | Uint8Array;
  readonly offset: number;
  readonly length: number;
}

/** A chunk that was fetched. */
export interface FetchedChunk {
  readonly input: ChunkInput;
  /** The size of the plaintext; `undefined` if only opening the blob tells it, or if the service has none. */
  readonly length: number | undefined;
  /** The blob is cached for other files: it must not be transferred. */
  readonly shared: boolean;
  /** The file of the target that the chunk comes from, by the name that it had then. */
  readonly from?: string;
  /** The destination that delivered it, if there are several. */
  readonly source?: BlobSource | undefined;
}

/** Chunks as a message carries them to a worker. */
export interface PackedChunks {
  readonly count: number;
  /** 32 bytes for each chunk. */
  readonly digests: Uint8Array;
  /** Holds most of the blobs. */
  readonly memory: Uint8Array;
  /** Offset in `memory` and length of each chunk; length 0 for one of the others. */
  readonly places: Uint32Array;
  /** By index; a chunk that is nowhere is missing. */
  readonly others: ReadonlyMap<number, Uint8Array | WrittenChunk>;
}

/** Blobs from this size on are transferred to the worker; smaller ones are copied together first. */
const TRANSFERRED_BYTES = 64 * KIB;

/** Packs chunks with as little copying as possible: none at all if their blobs are in shared memory. */
export function packChunks(
  chunks: readonly { readonly hash: string }[],
  fetched: ReadonlyMap<string, FetchedChunk>,
): { readonly chunks: PackedChunks; readonly transfer: readonly ArrayBuffer[] } {
  const digests = Buffer.allocUnsafeSlow(chunks.length * 32);
  const places = new Uint32Array(chunks.length * 2);
  const transfer: ArrayBuffer[] = [digests.buffer, places.buffer];
  const others = new Map<number, Uint8Array | WrittenChunk>();
  const inputs = chunks.map(({ hash }) => fetched.get(hash));
  const inShared = inputs.find((chunk) => chunk?.input instanceof Uint8Array && isInSharedMemory(chunk.input));
  const sharedMemory = inShared?.input instanceof Uint8Array ? inShared.input.buffer : undefined;
  const copies = sharedMemory ? [] : inputs.filter((chunk) => chunk && isToCopy(chunk));
  const copied = copies.reduce((sum, chunk) => sum + (chunk!.input as Uint8Array).length, 0);
  const memory = new Uint8Array(sharedMemory ?? new ArrayBuffer(copied));
  if (memory.buffer instanceof ArrayBuffer) transfer.push(memory.buffer);
  let used = 0;
  for (const [index, chunk] of inputs.entries()) {
    digests.write(hexDigestOf(chunks[index]!.hash), index * 32, 'hex');
    if (!chunk?.input) continue;
    const { input } = chunk;
    if (!(input instanceof Uint8Array) || input.length === 0) {
      others.set(index, input);
    } else if (input.buffer === sharedMemory) {
      places.set([input.byteOffset, input.length], index * 2);
    } else if (!sharedMemory && isToCopy(chunk)) {
      memory.set(input, used);
      places.set([used, input.length], index * 2);
      used += input.length;
    } else {
      others.set(index, input);
      if (isTransferable(chunk)) transfer.push(input.buffer as ArrayBuffer);
    }
  }
  return { chunks: { count: chunks.length, digests, memory, places, others }, transfer };
}

/** Unpacks one chunk in the worker. */
export function packedChunkAt({ memory, places, others }: PackedChunks, index: number): ChunkInput {
  const length = places[index * 2 + 1]!;
  if (length === 0) return others.get(index) ?? null;
  const offset = places[index * 2]!;
  return memory.subarray(offset, offset + length);
}

/** 32 raw bytes. */
export function packedDigestAt({ digests }: PackedChunks, index: number): Uint8Array {
  return digests.subarray(index * 32, index * 32 + 32);
}

export function isInSharedMemory(bytes: Uint8Array): boolean {
  return bytes.buffer instanceof SharedArrayBuffer;
}

function isToCopy(chunk: FetchedChunk): boolean {
  return chunk.input instanceof Uint8Array && !isTransferable(chunk);
}

/** Returns whether the blob fills its buffer and nobody else uses that. */
function isTransferable({ input, shared }: FetchedChunk): boolean {
  return (
    input instanceof Uint8Array &&
    !shared &&
    input.length >= TRANSFERRED_BYTES &&
    input.buffer instanceof ArrayBuffer &&
    input.byteLength === input.buffer.byteLength
  );
}
