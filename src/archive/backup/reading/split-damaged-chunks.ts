import { hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FILE } from '../../../catalog/entries/entry.ts';
import {
  CHUNK_RECORD_BYTES,
  chunkCount,
  digestAt,
  sizeAt,
  writeChunkRecord,
} from '../../../format/chunks/chunk-list.ts';
import type { DigestSet } from '../../../format/chunks/digest-set.ts';
import { systemCodeOf } from '../../../base/errors/errors.ts';
import { fileSystemPath } from '../../../os/filesystem/names/entry-path.ts';
import { throwIfInterrupted } from '../../../jobs/interruption.ts';
import type { WritableRun } from '../catalog-run.ts';
import { traverseFiles } from '../manifest/manifest-entries.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import { READ_FLAGS } from '../../../os/filesystem/read-flags.ts';

/**
 * Splits each chunk that the destination has damaged in two, wherever a file still has its content: the parts have other
 * digests, so the service requests and stores them. Files without that content keep their chunks, since the others may
 * be intact, and cause a warning.
 */
export async function splitDamagedChunks(
  { entries, run }: WritableRun,
  onWarning: (warning: RunWarning) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const damaged = entries.damaged.digests();
  if (!damaged) return;
  for (const files of traverseFiles({ entries, run }, undefined)) {
    for (const { path, directory, entry } of files) {
      const { name, stat, detail, place, chunks } = entry;
      if (!chunks || !holdsAny(chunks, damaged)) continue;
      const split = await splitInFile(path, chunks, damaged, signal);
      if (!split) onWarning({ path, reason: 'chunk_corrupt' });
      else entries.put(directory, { name, kind: FILE, stat, child: null, detail, place, chunks: split }, run);
    }
    await pause(signal);
  }
  entries.flush();
}

function holdsAny(chunks: Buffer, damaged: DigestSet): boolean {
  for (let index = 0; index < chunkCount(chunks); index += 1) if (damaged.has(digestAt(chunks, index))) return true;
  return false;
}

/** Returns the file's chunk list with damaged chunks replaced; `undefined` if the file no longer has their content. */
async function splitInFile(
  path: string,
  chunks: Buffer,
  damaged: DigestSet,
  signal: AbortSignal | undefined,
): Promise<Buffer | undefined> {
  try {
    const file = openSync(fileSystemPath(path), READ_FLAGS);
    try {
      return await splitInList(file, chunks, damaged, signal);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}

async function splitInList(
  file: number,
  chunks: Buffer,
  damaged: DigestSet,
  signal: AbortSignal | undefined,
): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let offset = 0;
  for (let index = 0; index < chunkCount(chunks); index += 1) {
    const size = sizeAt(chunks, index);
    const digest = digestAt(chunks, index);
    if (damaged.has(digest)) {
      const part = splitChunk(readAt(file, offset, size), digest, damaged);
      if (!part) return undefined;
      parts.push(part);
      await pause(signal);
    } else {
      parts.push(chunks.subarray(index * CHUNK_RECORD_BYTES, (index + 1) * CHUNK_RECORD_BYTES));
    }
    offset += size;
  }
  return Buffer.concat(parts);
}

/** Returns two records; `undefined` if the bytes do not match the digest or cannot be split. */
function splitChunk(bytes: Buffer, digest: Buffer, damaged: DigestSet): Buffer | undefined {
  if (!hash('sha256', bytes, 'buffer').equals(digest)) return undefined;
  // In the middle, unless a part of that split is damaged too.
  for (let cut = bytes.length >> 1; cut > 0; cut -= 1) {
    const parts = [bytes.subarray(0, cut), bytes.subarray(cut)];
    const digests = parts.map((part) => hash('sha256', part, 'buffer'));
    if (digests.some((each) => damaged.has(each))) continue;
    const list = Buffer.alloc(2 * CHUNK_RECORD_BYTES);
    for (const [index, part] of parts.entries()) writeChunkRecord(list, index, digests[index]!, part.length);
    return list;
  }
  return undefined;
}

/** Yields to the event loop. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  throwIfInterrupted(signal);
  await nextTurn();
}

/** Reads up to `size` bytes; fewer at the end of the file. */
function readAt(file: number, offset: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let done = 0;
  for (let read = 1; done < size && read > 0; done += read) {
    read = readSync(file, bytes, done, size - done, offset + done);
  }
  return bytes.subarray(0, done);
}
