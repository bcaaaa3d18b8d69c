import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HoldfastError } from '../../base/errors/errors.ts';
import { formatChunkHash } from '../../protocol/chunk-hash.ts';
import { chunkCount, digestAt, hexDigestAt, plaintextBytes } from '../../format/chunks/chunk-list.ts';
import type { RestoreSource } from '../../model/restore-request.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import { fetchEach, type ChunkDependencies } from '../../read/chunks/fetch-chunks.ts';
import { findListedPoint, type SourceDependencies } from '../../read/source/restore-point.ts';
import { isDataFailure, openTree, type OpenTree } from '../../read/source/tree.ts';
import type { ListedPiece, TreeRecord } from '../../format/tree/record.ts';
import { TreeReader } from '../../format/tree/tree-reader.ts';
import type { FileHistory } from '../file-history.ts';
import type { HistoryPoint } from '../points.ts';

/** Limits of the chunks that are fetched together. */
const GROUP_BYTES = 4 * 2 ** 20;
const GROUP_CHUNKS = 256;

export type FillDependencies = SourceDependencies & ChunkDependencies;

const MOST_ATTEMPTS = 5;

/** Another process has added a restore point meanwhile, so that other pieces are missing, or those that were staged are gone. */
class NotStaged extends Error {}

/** How a restore point was added; `too-much` if more pieces were missing than wanted. */
export type FillOutcome = 'known' | 'damaged' | 'too-much';

export interface FillOptions {
  /** Pieces that are read at most. Any number by default. */
  readonly mostPieces?: number | undefined;
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adds a restore point to the history, from the pieces of its tree that its neighbours do not have. A tree that cannot be read or proven
 * is recorded as damaged.
 *
 * @param source its number in the history
 * @throws what the destination throws if it cannot be read at all; `interrupted`
 */
export async function fillPoint(
  history: FileHistory,
  {
    source,
    from,
    point,
  }: {
    readonly source: number;
    readonly from: Omit<RestoreSource, 'at'>;
    readonly point: Pick<HistoryPoint, 'time' | 'made' | 'backupId'>;
  },
  deps: FillDependencies,
  { mostPieces = Infinity, now, signal }: FillOptions,
): Promise<FillOutcome> {
  try {
    const found = await findListedPoint({ ...from, at: point.time }, deps, signal);
    const tree = await openTree(from, found, deps, signal);
    for (let attempts = 1; ; attempts += 1) {
      const indexes = history.missingPieces(source, point.time, tree.footer);
      if (indexes.length > mostPieces) return 'too-much';
      await stagePieces(history, tree, indexes, deps, signal);
      throwIfInterrupted(signal);
      try {
        const read = pieceReader(history, tree);
        history.addPoint(source, { ...point, footer: tree.footer, read }, now);
        return 'known';
      } catch (error) {
        if (!(error instanceof NotStaged) || attempts === MOST_ATTEMPTS) throw error;
      }
    }
  } catch (error) {
    if (!isDataFailure(error)) throw error;
    history.change(() => history.points.put(source, { ...point, state: 'damaged', problem: error.code, triedAt: now }));
    return 'damaged';
  }
}

/** Downloads the chunks of pieces that were not downloaded before. @throws HoldfastError `chunk_*` */
async function stagePieces(
  history: FileHistory,
  { footer, session }: OpenTree,
  indexes: readonly number[],
  deps: ChunkDependencies,
  signal: AbortSignal | undefined,
): Promise<void> {
  const missing = indexes
    .map((index) => footer.pieces[index]!)
    .filter((piece) => !digestsOf(piece).every((digest) => history.staged.has(digest)));
  for (const group of groupsOf(missing)) {
    throwIfInterrupted(signal);
    const hashes = group.flatMap(hashesOf);
    const outcomes = await fetchEach({ session, hashes }, deps, signal);
    const failed = outcomes.values().find((outcome): outcome is HoldfastError => !Buffer.isBuffer(outcome));
    if (failed) throw failed;
    const chunks = group.flatMap((piece) => {
      const digests = digestsOf(piece);
      return hashesOf(piece).map((hash, index) => [digests[index]!, outcomes.get(hash) as Buffer] as const);
    });
    history.change(() => history.staged.put(chunks));
    await nextTurn();
  }
}

/** Reads staged pieces. They are proven again, since the file may be damaged. */
function pieceReader({ staged }: FileHistory, { footer }: OpenTree): (index: number) => readonly TreeRecord[] {
  const reader = new TreeReader(footer);
  return (index) => {
    const plaintexts = digestsOf(footer.pieces[index]!).map((digest) => {
      const plaintext = staged.get(digest);
      if (!plaintext) throw new NotStaged();
      return plaintext;
    });
    return reader.read(index, plaintexts).records;
  };
}

function* groupsOf(pieces: readonly ListedPiece[]): Generator<readonly ListedPiece[]> {
  let group: ListedPiece[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    group.push(piece);
    bytes += plaintextBytes(piece.chunks);
    if (group.length < GROUP_CHUNKS && bytes < GROUP_BYTES) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}

function digestsOf({ chunks }: ListedPiece): readonly Buffer[] {
  return Array.from({ length: chunkCount(chunks) }, (_, index) => Buffer.from(digestAt(chunks, index)));
}

function hashesOf({ chunks }: ListedPiece): readonly string[] {
  return Array.from({ length: chunkCount(chunks) }, (_, index) => formatChunkHash(hexDigestAt(chunks, index)));
}
