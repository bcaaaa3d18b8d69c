import type { BackupFileEntry } from '../../protocol/backup.ts';
import { comparePaths, type KEYS_PATH, type TREE_PATH } from '../../protocol/path.ts';
import { formatChunkHash } from '../../protocol/chunk.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { FILE, type CatalogEntries, type CatalogEntry, type SetRun } from '../catalog/entries.ts';
import { unpackStat } from '../filesystem/stat-record.ts';
import { traverse, type NameOrder, type TraversedEntry } from '../catalog/traverse.ts';
import { chunkCount, hexDigestAt, sizeAt } from '../chunk/chunk-list.ts';
import type { PathNames } from '../crypto/path-names.ts';

/** A file that Holdfast stores for itself, beside the person's. */
export interface ReservedEntry {
  readonly path: typeof TREE_PATH | typeof KEYS_PATH;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** chunk-list.ts */
  readonly chunks: Buffer;
}

/** Milliseconds since the epoch of a time in nanoseconds, rounded down as ISO 8601 with milliseconds wants it. */
export function millisecondsOf(nanoseconds: bigint): number {
  const quotient = nanoseconds / 1_000_000n;
  return Number(nanoseconds < 0n && nanoseconds % 1_000_000n !== 0n ? quotient - 1n : quotient);
}

/**
 * The set's files as the service gets them, in the order of their paths, and behind them the reserved entries, which may
 * still be in the making while the files are sent.
 */
export async function* manifestEntries(
  entries: CatalogEntries,
  run: SetRun,
  reserved: () => Promise<readonly ReservedEntry[]>,
  names: PathNames | undefined,
): AsyncGenerator<readonly BackupFileEntry[]> {
  for (const batch of traverseFiles(entries, run, names)) {
    yield batch.map(({ path, entry }) => fileEntry(path, entry));
  }
  yield (await reserved()).map(reservedFile);
}

/** The files of a set, by the paths that the service gets and in the order of those. */
export function* traverseFiles(
  entries: CatalogEntries,
  run: SetRun,
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

/** A file as the service gets it, by the path that it gets. */
export function fileEntry(path: string, entry: CatalogEntry): BackupFileEntry {
  const stat = unpackStat(entry.stat);
  const chunks = entry.chunks ?? Buffer.alloc(0);
  return { path, size: stat.size, modified: formatTimestamp(millisecondsOf(stat.mtimeNs)), chunks: references(chunks) };
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
