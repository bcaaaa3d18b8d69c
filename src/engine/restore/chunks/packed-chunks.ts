import { hexDigestOf } from '../../../protocol/chunk.ts';
import type { GotChunk, WantedChunk } from './chunk-source.ts';

/** A chunk to be written: its sealed blob, or a place where this restore has written it before. */
export type ChunkInput = Uint8Array | WrittenChunk | null;

export interface WrittenChunk {
  readonly path: string | Uint8Array;
  readonly offset: number;
  readonly length: number;
}

/** Chunks as a message carries them to a worker. */
export interface PackedChunks {
  readonly count: number;
  /** 32 bytes for each chunk. */
  readonly digests: Uint8Array;
  /** What most blobs lie in. */
  readonly memory: Uint8Array;
  /** Offset in `memory` and length, for each chunk; length 0 where it is one of the others. */
  readonly places: Uint32Array;
  /** By index; a chunk that is nowhere is missing. */
  readonly others: ReadonlyMap<number, Uint8Array | WrittenChunk>;
}

/** Blobs from this size on are moved to the other thread; smaller ones are copied together first. */
const MOVED_BYTES = 64 * 1024;

/** Packs chunks with as little copying as possible: not at all where their blobs lie in shared memory. */
export function packChunks(
  chunks: readonly WantedChunk[],
  got: ReadonlyMap<string, GotChunk>,
): { readonly chunks: PackedChunks; readonly transfer: readonly ArrayBuffer[] } {
  const digests = Buffer.allocUnsafeSlow(chunks.length * 32);
  const places = new Uint32Array(chunks.length * 2);
  const transfer: ArrayBuffer[] = [digests.buffer, places.buffer];
  const others = new Map<number, Uint8Array | WrittenChunk>();
  const inputs = chunks.map(({ hash }) => got.get(hash));
  const shared = inputs.find((chunk) => chunk?.input instanceof Uint8Array && isShared(chunk.input));
  const room = shared?.input instanceof Uint8Array ? shared.input.buffer : undefined;
  const copies = room ? [] : inputs.filter((chunk) => chunk && isToCopy(chunk));
  const copied = copies.reduce((sum, chunk) => sum + (chunk!.input as Uint8Array).length, 0);
  const memory = new Uint8Array(room ?? new ArrayBuffer(copied));
  if (memory.buffer instanceof ArrayBuffer) transfer.push(memory.buffer);
  let used = 0;
  for (const [index, chunk] of inputs.entries()) {
    digests.write(hexDigestOf(chunks[index]!.hash), index * 32, 'hex');
    if (!chunk?.input) continue;
    const { input } = chunk;
    if (!(input instanceof Uint8Array) || input.length === 0) {
      others.set(index, input);
    } else if (input.buffer === room) {
      places.set([input.byteOffset, input.length], index * 2);
    } else if (!room && isToCopy(chunk)) {
      memory.set(input, used);
      places.set([used, input.length], index * 2);
      used += input.length;
    } else {
      others.set(index, input);
      if (isMovable(chunk)) transfer.push(input.buffer as ArrayBuffer);
    }
  }
  return { chunks: { count: chunks.length, digests, memory, places, others }, transfer };
}

/** On the other side. */
export function packedChunkAt({ memory, places, others }: PackedChunks, index: number): ChunkInput {
  const length = places[index * 2 + 1]!;
  if (length === 0) return others.get(index) ?? null;
  const offset = places[index * 2]!;
  return memory.subarray(offset, offset + length);
}

/** Whether other threads see the bytes where they are. */
export function isShared(bytes: Uint8Array): boolean {
  return bytes.buffer instanceof SharedArrayBuffer;
}

function isToCopy(chunk: GotChunk): boolean {
  return chunk.input instanceof Uint8Array && !isMovable(chunk);
}

/** Whether the bytes are all that their memory holds, and nobody else looks at it. */
function isMovable({ input, shared }: GotChunk): boolean {
  return (
    input instanceof Uint8Array &&
    !shared &&
    input.length >= MOVED_BYTES &&
    input.buffer instanceof ArrayBuffer &&
    input.byteLength === input.buffer.byteLength
  );
}
