import { HoldfastError, isHoldfastError } from '../../../base/errors.ts';
import { TREE_PATH } from '../../../protocol/path.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { RunWarning } from '../../job/run-warning.ts';
import { readFooter } from '../../tree/footer.ts';
import type { TreeRecord, VerifiedFooter, VerifiedTree } from '../../tree/record.ts';
import { TreeReader } from '../../tree/tree-reader.ts';
import { fetchChunks, type ChunkDependencies } from '../chunks/fetch-chunks.ts';
import { TimeSlice } from '../time-slice.ts';
import type { RestoreSource } from '../../job/job-request.ts';
import { findRestorePoint, type FoundRestorePoint, type SourceDependencies } from './restore-point.ts';

/** Pieces of at most 1 MiB that are fetched together, while the previous ones are read. */
const PIECES_PER_GROUP = 16;

/** A restore point that has a tree. */
export type PointWithTree = FoundRestorePoint & { readonly treeChunks: readonly string[] };

/**
 * Downloads a tree and yields its records. They are not proven until the footer has been returned, which is the proof that
 * none is missing.
 *
 * @throws HoldfastError `chunk_*` and `tree_invalid` (reason `other-set` if it belongs to another device or set)
 */
export async function* treeRecords(
  source: RestoreSource,
  point: PointWithTree,
  deps: ChunkDependencies,
  signal?: AbortSignal,
): AsyncGenerator<readonly TreeRecord[], VerifiedTree> {
  const reader = new TreeReader(deps.keys.tree);
  const { restoreSessionId: session, treeChunks } = point;
  const fetchFrom = (start: number): Promise<readonly Buffer[]> | undefined => {
    if (start >= treeChunks.length) return undefined;
    const pieces = fetchChunks({ session, hashes: treeChunks.slice(start, start + PIECES_PER_GROUP) }, deps, signal);
    // Awaited later: a failure in the meantime must not count as unhandled.
    pieces.catch(() => undefined);
    return pieces;
  };
  let next = fetchFrom(0);
  for (let start = PIECES_PER_GROUP; next; start += PIECES_PER_GROUP) {
    const pieces: readonly Buffer[] = await next;
    next = fetchFrom(start);
    for (const piece of pieces) yield reader.push(piece);
  }
  const footer = reader.end();
  if (footer.deviceId !== source.deviceId || footer.backupSet !== source.backupSet) {
    throw new HoldfastError('tree_invalid', { reason: 'other-set', deviceId: footer.deviceId, set: footer.backupSet });
  }
  return footer;
}

/** Reads a whole tree. The records passed to `onRecords` are proven when it resolves. */
export async function readTree(
  records: AsyncGenerator<readonly TreeRecord[], VerifiedTree>,
  onRecords: (records: readonly TreeRecord[]) => void,
): Promise<VerifiedTree> {
  const slice = new TimeSlice();
  for (;;) {
    const { done, value } = await records.next();
    if (done) return value;
    onRecords(value);
    if (slice.isOver) await slice.yield();
  }
}

/** The newest tree of a set, as far as the next backup needs it. */
export interface NewestTree {
  readonly footer: VerifiedFooter;
  /** Hex. */
  readonly treeHash: string;
  /** ISO 8601. */
  readonly restorePoint: string;
}

/**
 * Reads the footer of a tree only. Returns `undefined` if there is no restore point, or if it has no tree.
 *
 * @throws HoldfastError `chunk_*` and `tree_invalid` if the service does not deliver it, and what the service throws
 */
export async function readTreeFooter(
  source: RestoreSource,
  deps: SourceDependencies & ChunkDependencies,
  signal?: AbortSignal,
): Promise<NewestTree | undefined> {
  const point = await findRestorePoint(source, deps, signal).catch((error: unknown) => {
    if (isHoldfastError(error, 'no_restore_point')) return undefined;
    throw error;
  });
  const last = point?.treeChunks?.at(-1);
  if (!point || last === undefined) return undefined;
  const [plaintext] = await fetchChunks({ session: point.restoreSessionId, hashes: [last] }, deps, signal);
  const footer = readFooter(plaintext!, deps.keys.tree);
  return { footer, treeHash: footer.treeHash, restorePoint: point.restorePoint };
}

/**
 * Detects a rollback: compares a tree with the newest that this computer has seen. Each tree's sequence is one more than
 * its predecessor's, so an older one as the latest, or a different one of the same number, is not the last backup.
 */
export function checkSequence(
  { deviceId, backupSet, at }: RestoreSource,
  footer: VerifiedFooter,
  catalog: Catalog,
): readonly RunWarning[] {
  const seen = catalog.history.seenTree(deviceId, backupSet);
  if (!seen) return [];
  const { sequence, treeHash } = footer;
  const older = at === 'latest' && sequence < seen.sequence;
  const forked = sequence === seen.sequence && treeHash !== seen.treeHash;
  const cut = sequence === seen.sequence + 1 && footer.previousTree !== seen.treeHash;
  return older || forked || cut ? [{ path: TREE_PATH, reason: 'service_answer_suspicious' }] : [];
}
