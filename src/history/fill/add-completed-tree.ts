import { chunkCount, digestAt } from '../../format/chunks/chunk-list.ts';
import type { CompletedTree } from '../../archive/backup/types.ts';
import { TreeReader } from '../../format/tree/tree-reader.ts';
import type { FileHistory } from '../file-history.ts';
import type { HistorySource } from '../points.ts';

/** Pieces that a run adds: as many as take a fraction of a second. More of them are read in the background. */
const MOST_PIECES = 100;

/** Adds the restore point of a run, if the run wrote all pieces that are missing. Returns whether it is known now. */
export function addCompletedTree(
  history: FileHistory,
  reference: HistorySource,
  { restorePoint, madeAt, backupId, roots, pieces, chunk }: CompletedTree,
  now: number,
): boolean {
  const source = history.change(() => history.points.addSource(reference));
  const [time, made] = [Date.parse(restorePoint), Date.parse(madeAt)];
  const footer = { pieces, roots };
  const missing = history.missingPieces(source, time, footer);
  const digestsOf = (index: number): readonly Buffer[] => {
    const { chunks } = pieces[index]!;
    return Array.from({ length: chunkCount(chunks) }, (_, number) => Buffer.from(digestAt(chunks, number)));
  };
  const plaintexts = new Map<number, readonly Buffer[]>();
  if (missing.length <= MOST_PIECES) {
    for (const index of missing) {
      const read = digestsOf(index).map(chunk);
      if (read.every((plaintext) => plaintext !== undefined)) plaintexts.set(index, read);
    }
  }
  if (plaintexts.size < missing.length) {
    history.change(() => {
      if (history.points.state(source, time) === undefined) {
        history.points.put(source, { time, made, backupId, state: 'waiting', triedAt: 0 });
      }
    });
    return false;
  }
  const reader = new TreeReader(footer);
  history.addPoint(
    source,
    { time, made, backupId, footer, read: (index) => reader.read(index, plaintexts.get(index) ?? []).records },
    now,
  );
  return true;
}
