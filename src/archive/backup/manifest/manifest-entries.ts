import type { BackupFileEntry } from '../../../protocol/backup.ts';
import type { KEYS_PATH, TREE_PATH } from '../../../protocol/path.ts';
import { comparePaths } from '../../../model/entry-path.ts';
import { formatChunkHash } from '../../../protocol/chunk-hash.ts';
import { formatTimestamp, millisecondsOf } from '../../../protocol/timestamp.ts';
import { FILE, type CatalogEntry } from '../../../catalog/entries/entry.ts';
import { traverse, type NameOrder, type TraversedEntry } from '../../../catalog/entries/traverse.ts';
import { chunkCount, hexDigestAt, sizeAt } from '../../../format/chunks/chunk-list.ts';
import type { PathNames } from '../../../format/crypto/path-names.ts';
import { unpackStat } from '../../../os/filesystem/stat-record.ts';
import type { CatalogRun } from '../catalog-run.ts';

/** A file that Holdfast stores for itself, beside the person's. */
export interface ReservedEntry {
  readonly path: typeof TREE_PATH | typeof KEYS_PATH;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** chunk-list.ts */
  readonly chunks: Buffer;
}

/**
 * Yields the set's files as they are sent, in path order, followed by the reserved entries, which may still be in
 * preparation while the files are sent.
 */
export async function* manifestEntries(
  catalogRun: CatalogRun,
  reserved: () => Promise<readonly ReservedEntry[]>,
  names: PathNames | undefined,
): AsyncGenerator<readonly BackupFileEntry[]> {
  for (const batch of traverseFiles(catalogRun, names)) {
    yield batch.map(({ path, entry }) => fileEntry(path, entry));
  }
  yield (await reserved()).map(reservedFile);
}

/** Yields the files of a set under the paths that are sent, in the order of these. */
export function* traverseFiles(
  { entries, run }: CatalogRun,
  names: PathNames | undefined,
): Generator<readonly TraversedEntry[]> {
  for (const batch of traverse(entries, run.rootsDirectory, names && sealedOrder(names))) {
    const files = batch.filter(({ entry }) => entry.kind === FILE);
    yield names ? files.map((file) => ({ ...file, path: names.sealPath(file.path) })) : files;
  }
}

function sealedOrder(names: PathNames): NameOrder {
  return (prefix, entries) => {
    const sealed = new Map(entries.map((entry) => [entry, names.sealPath(prefix + entry.name)]));
    return entries.sort((a, b) => comparePaths(sealed.get(a)!, sealed.get(b)!));
  };
}

/** @param path as it is sent */
export function fileEntry(path: string, entry: CatalogEntry): BackupFileEntry {
  const { size, mtimeNs } = unpackStat(entry.stat);
  return fileOf(path, size, mtimeNs, entry.chunks ?? Buffer.alloc(0));
}

/**
 * @param path as it is sent
 * @param chunks chunk-list.ts
 */
export function fileOf(path: string, size: number, mtimeNs: bigint, chunks: Buffer): BackupFileEntry {
  return { path, size, modified: formatTimestamp(millisecondsOf(mtimeNs)), chunks: references(chunks) };
}

export function reservedFile({ path, modified, chunks }: ReservedEntry): BackupFileEntry {
  const list = references(chunks);
  const size = list.reduce((sum, chunk) => sum + chunk.size, 0);
  return { path, size, modified: formatTimestamp(modified), chunks: list };
}

function references(chunks: Buffer): { hash: string; size: number }[] {
  const count = chunkCount(chunks);
  const list: { hash: string; size: number }[] = [];
  for (let index = 0; index < count; index += 1) {
    list.push({ hash: formatChunkHash(hexDigestAt(chunks, index)), size: sizeAt(chunks, index) });
  }
  return list;
}
