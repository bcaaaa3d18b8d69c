import type { z } from 'zod';
import { type BackupFileEntry, backupFileEntry } from '../../../protocol/backup.ts';
import type { ListFold } from '../../../protocol/bodies/json-array-stream.ts';
import { chunkReference, type ChunkReference } from '../../../protocol/chunk.ts';
import { isStoredPath } from '../../../protocol/path.ts';
import { pathSortKey } from '../../../model/entry-path.ts';
import { ServiceProblem } from '../../request/problem.ts';
import type { FileVersion } from '../store/tree-store.ts';
import { allocateChunks, MAXIMUM_CHUNK_BYTES, PACKED_CHUNK_BYTES, writeChunk } from '../store/packed-chunks.ts';
import { isPlainTime, storedTime } from '../../stored-time.ts';

/** The most UTF-8 bytes in a path; file systems allow far fewer. */
const MAXIMUM_PATH_BYTES = 65_536;

const HASH = /^sha256:[0-9a-f]{64}$/;

/** The chunks of a long file, packed as they arrive. */
export class ChunkListFold implements ListFold {
  readonly #reserve: (bytes: number) => void;
  readonly #parts: Buffer[] = [];
  #sum = 0;

  /** @param reserve called with the bytes that are about to be held */
  constructor(reserve: (bytes: number) => void) {
    this.#reserve = reserve;
  }

  add(items: readonly unknown[]): void {
    const chunks = items.every(isPlainChunk) ? items : checkedChunks(items);
    this.#reserve(chunks.length * PACKED_CHUNK_BYTES);
    const { packed, sum } = pack(chunks, 'a file');
    this.#parts.push(packed);
    this.#sum += sum;
  }

  end(element: Readonly<Record<string, unknown>>): LongEntry {
    return new LongEntry(element, this.#parts, this.#sum);
  }
}

/** An element of `files` whose first chunks were packed before it was complete. */
class LongEntry {
  readonly element: Readonly<Record<string, unknown>>;
  readonly parts: readonly Buffer[];
  readonly sum: number;

  constructor(element: Readonly<Record<string, unknown>>, parts: readonly Buffer[], sum: number) {
    this.element = element;
    this.parts = parts;
    this.sum = sum;
  }

  get bytes(): number {
    return this.parts.reduce((sum, { length }) => sum + length, 0);
  }
}

/** Returns the bytes that were reserved for the elements' long chunk lists. */
export function heldBytes(elements: readonly unknown[]): number {
  return elements.reduce<number>((sum, element) => sum + (element instanceof LongEntry ? element.bytes : 0), 0);
}

/** Checks one element of `files` and converts it to a version, whose chunks have no ids yet. */
export function readManifestEntry(element: unknown): FileVersion {
  const long = element instanceof LongEntry ? element : undefined;
  const fields = long?.element ?? element;
  const entry = isPlainEntry(fields) ? fields : checkedEntry(fields);
  if (!entry.path.isWellFormed())
    throw new ServiceProblem('malformed_request', { detail: 'a path is no Unicode text' });
  const { packed, sum: tail } = pack(entry.chunks, entry.path);
  const chunks = long ? Buffer.concat([...long.parts, packed]) : packed;
  const sum = (long?.sum ?? 0) + tail;
  if (sum !== entry.size) throw unprocessable(entry.path, `has ${entry.size} bytes, but its chunks have ${sum}`);
  if (Buffer.byteLength(entry.path) > MAXIMUM_PATH_BYTES) throw unprocessable(entry.path, 'has too long a path');
  return { pathKey: pathSortKey(entry.path), size: entry.size, modified: storedTime(entry.modified), chunks };
}

function pack(chunks: readonly ChunkReference[], name: string): { readonly packed: Buffer; readonly sum: number } {
  const packed = allocateChunks(chunks.length);
  let sum = 0;
  for (const [index, { hash, size }] of chunks.entries()) {
    if (size > MAXIMUM_CHUNK_BYTES) throw unprocessable(name, `has a chunk of more than ${MAXIMUM_CHUNK_BYTES} bytes`);
    writeChunk(packed, index, hash, size);
    sum += size;
  }
  return { packed, sum };
}

/**
 * Accepts a part of what the schema accepts, ten times as fast. Everything else is checked by the schema.
 */
function isPlainEntry(element: unknown): element is BackupFileEntry {
  if (typeof element !== 'object' || element === null) return false;
  const { path, size, modified, chunks } = element as Partial<BackupFileEntry>;
  return (
    typeof path === 'string' &&
    isStoredPath(path) &&
    isCount(size) &&
    typeof modified === 'string' &&
    isPlainTime(modified) &&
    Array.isArray(chunks) &&
    chunks.every(isPlainChunk)
  );
}

function isPlainChunk(element: unknown): element is ChunkReference {
  if (typeof element !== 'object' || element === null) return false;
  const { hash, size } = element as { hash?: unknown; size?: unknown };
  return typeof hash === 'string' && HASH.test(hash) && isCount(size) && size > 0;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function checkedEntry(element: unknown): BackupFileEntry {
  const result = backupFileEntry.safeParse(element);
  if (result.success) return result.data;
  throw malformed(['files[]'], result.error);
}

/** Checks one chunk after the other, since an issue of each would take more memory than the chunks. */
function checkedChunks(items: readonly unknown[]): readonly ChunkReference[] {
  return items.map((item) => {
    const result = chunkReference.safeParse(item);
    if (result.success) return result.data;
    throw malformed(['files[]', 'chunks[]'], result.error);
  });
}

function malformed(field: readonly string[], { issues }: z.ZodError): ServiceProblem {
  const issue = issues[0]!;
  const name = [...field, ...issue.path.map(String)].join('.');
  return new ServiceProblem('malformed_request', { detail: `${name}: ${issue.message}` });
}

function unprocessable(path: string, fault: string): ServiceProblem {
  return new ServiceProblem('unprocessable', { detail: `${path} ${fault}` });
}
