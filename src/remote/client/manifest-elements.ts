import { z } from 'zod';
import { JsonStreamError, type ListFold, type LongList } from '../../protocol/bodies/json-array-stream.ts';
import type { ChunkReference } from '../../protocol/chunk.ts';
import { entryPath } from '../../protocol/path.ts';
import type { RestoreFileEntry } from '../../protocol/restore.ts';
import type { MalformedEntry } from '../ports.ts';
import { chunkName, time } from './answers.ts';

/*
 * A manifest may have a million elements. The quick tests accept a subset of what the schemas accept, at a fraction of the
 * cost. All else is left to the schema.
 */

const HASH = /^sha256:[0-9a-f]{64}$/;
const UTC_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/;
/** An absolute path without empty segments, segments that begin with a dot, or NUL. */
const PLAIN_PATH = /^(\/[^/.\0][^/\0]*)+$/;

/** Whoever sent the manifest knows the sizes. */
const neededChunk = z.object({ hash: chunkName, size: z.int().positive().catch(0) });

const restoreFileEntry = z.object({
  path: entryPath,
  size: z.int().nonnegative(),
  modified: time,
  chunks: z.array(chunkName),
});

/** Elements of init's `chunks_needed`. */
export interface NeededChunks {
  /** A size is 0 if the service gave none. */
  readonly chunks: readonly ChunkReference[];
  /** The number of other elements. */
  readonly malformed: number;
}

/** Validates elements of init's `chunks_needed`. One that is malformed does not affect the others. */
export function neededChunksOf(elements: readonly unknown[]): NeededChunks {
  if (elements.every(isChunkReference)) return { chunks: elements, malformed: 0 };
  const chunks = elements.flatMap((element) => neededChunk.safeParse(element).data ?? []);
  return { chunks, malformed: elements.length - chunks.length };
}

/** Elements of a restore manifest. */
export interface RestoreElements {
  readonly files: readonly RestoreFileEntry[];
  readonly malformed: readonly MalformedEntry[];
}

/** Validates elements of a restore manifest's `files`. One that is malformed does not affect the others. */
export function restoreElementsOf(elements: readonly unknown[]): RestoreElements {
  if (elements.every(isRestoreFileEntry)) return { files: elements, malformed: [] };
  const files: RestoreFileEntry[] = [];
  const malformed: MalformedEntry[] = [];
  for (const element of elements) {
    const parsed = restoreFileEntry.safeParse(element);
    if (parsed.success) files.push(parsed.data);
    else malformed.push({ path: entryPath.safeParse((element as { path?: unknown } | null)?.path).data });
  }
  return { files, malformed };
}

/** Chunks of a file of several terabytes. More of them would not fit in the memory. */
const MOST_HASHES = 2 ** 22;

/** The chunks of a long file. Its entry becomes malformed with the first item that is not a hash, and no further one is kept. */
class HashListFold implements ListFold {
  #hashes: string[] | undefined = [];
  #count = 0;

  add(items: readonly unknown[]): void {
    this.#count += items.length;
    if (this.#count > MOST_HASHES) throw new JsonStreamError('a file with too many chunks');
    if (!items.every(isHash)) this.#hashes = undefined;
    for (const hash of this.#hashes ? (items as readonly string[]) : []) this.#hashes!.push(hash);
  }

  end(element: Readonly<Record<string, unknown>>): unknown {
    const { chunks } = element;
    if (!this.#hashes || !Array.isArray(chunks)) return { ...element, chunks: undefined };
    for (const item of chunks as unknown[]) this.#hashes.push(item as string);
    return { ...element, chunks: this.#hashes };
  }
}

export const LONG_HASHES: LongList = { key: 'chunks', fold: () => new HashListFold() };

function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value);
}

function isChunkReference(value: unknown): value is ChunkReference {
  if (typeof value !== 'object' || value === null) return false;
  const { hash, size } = value as Partial<ChunkReference>;
  return typeof hash === 'string' && HASH.test(hash) && Number.isSafeInteger(size) && size! > 0;
}

function isRestoreFileEntry(value: unknown): value is RestoreFileEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { path, size, modified, chunks } = value as Partial<RestoreFileEntry>;
  return (
    typeof path === 'string' &&
    PLAIN_PATH.test(path) &&
    path.isWellFormed() &&
    Number.isSafeInteger(size) &&
    size! >= 0 &&
    typeof modified === 'string' &&
    UTC_TIME.test(modified) &&
    Array.isArray(chunks) &&
    chunks.every(isHash)
  );
}
