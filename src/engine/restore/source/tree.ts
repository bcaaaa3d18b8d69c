import { HoldfastError } from '../../../base/errors.ts';
import type { TreeRecord, VerifiedTree } from '../../tree/record.ts';
import { TreeReader } from '../../tree/tree-reader.ts';
import { openChunks, type ChunkDependencies } from '../chunks/open-chunks.ts';
import { TimeSlice } from '../time-slice.ts';
import type { TreeEntry } from './restore-point.ts';
import type { RestoreSource } from '../types.ts';

/** Pieces of at most 1 MiB that are fetched together, while those before are read. */
const PIECES_AT_ONCE = 16;

/** The entry of a restore point that has a tree. */
export type TreeWithChunks = TreeEntry & { readonly chunks: readonly string[] };

/**
 * Downloads a tree and gives its records as they come. They are to be kept aside until the footer has come, which
 * proves that none is missing.
 *
 * @throws HoldfastError `chunk_*` and `tree_invalid` (reason `other-set` where it belongs to another device or set)
 */
export async function* treeRecords(
  source: RestoreSource,
  entry: TreeWithChunks,
  deps: ChunkDependencies,
  signal?: AbortSignal,
): AsyncGenerator<readonly TreeRecord[], VerifiedTree> {
  const reader = new TreeReader(deps.keys.tree);
  const groups = groupsOf(entry.chunks, PIECES_AT_ONCE);
  const open = (group: readonly string[] | undefined): Promise<readonly Buffer[]> | undefined => {
    const pieces = group && openChunks(entry.restoreSessionId, group, deps, signal);
    // Awaited later; a failure meanwhile is not one that nobody looks at.
    pieces?.catch(() => undefined);
    return pieces;
  };
  let next = open(groups[0]);
  for (let index = 0; index < groups.length; index += 1) {
    const pieces = await next!;
    next = open(groups[index + 1]);
    for (const piece of pieces) yield reader.push(piece);
  }
  const footer = reader.end();
  if (footer.deviceId !== source.deviceId || footer.backupSet !== source.backupSet) {
    throw new HoldfastError('tree_invalid', { reason: 'other-set', deviceId: footer.deviceId, set: footer.backupSet });
  }
  return footer;
}

/** Hands the records over and answers the footer. */
export async function readTree(
  source: RestoreSource,
  entry: TreeWithChunks,
  deps: ChunkDependencies,
  onRecords: (records: readonly TreeRecord[]) => void,
  signal?: AbortSignal,
): Promise<VerifiedTree> {
  const records = treeRecords(source, entry, deps, signal);
  const pace = new TimeSlice();
  for (;;) {
    const { done, value } = await records.next();
    if (done) return value;
    onRecords(value);
    if (pace.isDue) await pace.turn();
  }
}

function groupsOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const groups: Item[][] = [];
  for (let start = 0; start < items.length; start += size) groups.push(items.slice(start, start + size));
  return groups;
}
