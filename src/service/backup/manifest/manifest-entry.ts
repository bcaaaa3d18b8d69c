import { type BackupFileEntry, backupFileEntry } from '../../../protocol/backup.ts';
import { isEntryPath, pathSortKey } from '../../../protocol/path.ts';
import { ServiceProblem } from '../../request/problem.ts';
import type { FileVersion } from '../../store/backup/tree-store.ts';
import { allocateChunks, MAXIMUM_CHUNK_BYTES, writeChunk } from '../../store/backup/packed-chunks.ts';
import { isPlainTime, storedTime } from '../../stored-time.ts';

/** The most UTF-8 bytes in a path; file systems allow far fewer. */
const MAXIMUM_PATH_BYTES = 65_536;

const HASH = /^sha256:[0-9a-f]{64}$/;

/** Checks one element of `files` and converts it to a version, whose chunks have no ids yet. */
export function readManifestEntry(element: unknown): FileVersion {
  const entry = isPlainEntry(element) ? element : checkedEntry(element);
  if (!entry.path.isWellFormed())
    throw new ServiceProblem('malformed_request', { detail: 'a path is no Unicode text' });
  const chunks = allocateChunks(entry.chunks.length);
  let sum = 0;
  for (let index = 0; index < entry.chunks.length; index += 1) {
    const { hash, size } = entry.chunks[index]!;
    if (size > MAXIMUM_CHUNK_BYTES) throw unprocessable(entry, `has a chunk of more than ${MAXIMUM_CHUNK_BYTES} bytes`);
    writeChunk(chunks, index, hash, size);
    sum += size;
  }
  if (sum !== entry.size) throw unprocessable(entry, `has ${entry.size} bytes, but its chunks have ${sum}`);
  if (Buffer.byteLength(entry.path) > MAXIMUM_PATH_BYTES) throw unprocessable(entry, 'has too long a path');
  return { pathKey: pathSortKey(entry.path), size: entry.size, modified: storedTime(entry.modified), chunks };
}

/**
 * Accepts a part of what the schema accepts, ten times as fast. Everything else is checked by the schema.
 */
function isPlainEntry(element: unknown): element is BackupFileEntry {
  if (typeof element !== 'object' || element === null) return false;
  const { path, size, modified, chunks } = element as Partial<BackupFileEntry>;
  return (
    typeof path === 'string' &&
    isEntryPath(path) &&
    isCount(size) &&
    typeof modified === 'string' &&
    isPlainTime(modified) &&
    Array.isArray(chunks) &&
    chunks.every(isPlainChunk)
  );
}

function isPlainChunk(element: unknown): boolean {
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
  const issue = result.error.issues[0]!;
  const field = ['files[]', ...issue.path.map(String)].join('.');
  throw new ServiceProblem('malformed_request', { detail: `${field}: ${issue.message}` });
}

function unprocessable(entry: BackupFileEntry, fault: string): ServiceProblem {
  return new ServiceProblem('unprocessable', { detail: `${entry.path} ${fault}` });
}
