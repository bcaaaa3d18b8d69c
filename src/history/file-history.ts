import { comparePaths } from '../model/entry-path.ts';
import type { TreeRecord, VerifiedFooter } from '../format/tree/record.ts';
import { busyError, isHistoryBusy, openHistoryDatabase, type HistoryDatabase } from './database.ts';
import { EntryTable, isRecordable, type PathRange } from './entries.ts';
import { PieceTable, type ComparedPieces } from './pieces.ts';
import { PointTable, type HistorySource } from './points.ts';
import { RowSums } from './row-sums.ts';
import { StagedChunks } from './fill/staged-chunks.ts';
import { contentOf } from './version-row.ts';
import { VersionTable, type Gap } from './versions.ts';

/** What a restore point's tree is read from. */
export interface TreeOfPoint {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** When it was made. */
  readonly made: number;
  readonly backupId: string;
  readonly footer: Pick<VerifiedFooter, 'pieces' | 'roots'>;
  /** Returns the records of a piece, by its index. Called for those that `missingPieces` names. */
  readonly read: (index: number) => readonly TreeRecord[];
}

/**
 * The versions of every file in all restore points, with the times in which they existed: one SQLite file in the home. It is a copy of
 * what the trees at the destinations say, and made anew when it is damaged. Restore points are added and removed in any order.
 */
export class FileHistory implements Disposable {
  readonly points: PointTable;
  readonly staged: StagedChunks;
  readonly #database: HistoryDatabase;
  readonly #sums = new RowSums();
  readonly #entries: EntryTable;
  readonly #versions: VersionTable;
  readonly #pieces: PieceTable;

  /** @throws HoldfastError `home_unwritable`, `home_busy` */
  constructor(file: string) {
    this.#database = openHistoryDatabase(file);
    this.points = new PointTable(this.#database, this.#sums);
    this.staged = new StagedChunks(this.#database);
    this.#entries = new EntryTable(this.#database, this.#sums);
    this.#versions = new VersionTable(this.#database, this.#sums);
    this.#pieces = new PieceTable(this.#database, this.#sums);
  }

  /** For queries. */
  get database(): HistoryDatabase {
    return this.#database;
  }

  /** Runs changes in one transaction. @throws HoldfastError `home_busy` if another process changes the file for long */
  change<Result>(work: () => Result): Result {
    try {
      return this.#database
        .transaction(() => {
          const result = work();
          this.#sums.save(this.#database);
          return result;
        })
        .immediate();
    } catch (error) {
      throw isHistoryBusy(error) ? busyError(error) : error;
    } finally {
      this.#sums.discard();
      // What this transaction added is not new to the next one, or it was undone.
      this.#entries.forgetCached();
    }
  }

  /** The indexes of the pieces in which a restore point may differ from its neighbours. */
  missingPieces(source: number, time: number, footer: Pick<VerifiedFooter, 'pieces'>): readonly number[] {
    const compared = this.#pieces.compare(this.points.gapAt(source, time), footer.pieces);
    return compared.pieces.flatMap(({ index, sharedUntil }) => (sharedUntil === undefined ? [index] : []));
  }

  /** Adds a restore point in one transaction. One that is known is not added again. */
  addPoint(source: number, tree: TreeOfPoint, now: number): void {
    this.change(() => {
      const { time, made, backupId, footer } = tree;
      if (this.points.state(source, time) === 'known') return;
      const gap = this.points.gapAt(source, time);
      const compared = this.#pieces.compare(gap, footer.pieces);
      const lastPaths = this.#addRecords(gap, compared, tree);
      this.#pieces.addPoint(gap, footer.pieces, lastPaths);
      this.points.put(source, { time, made, backupId, state: 'known', triedAt: now, roots: footer.roots });
      this.staged.clear();
    });
  }

  /** Forgets a restore point, for example one that a policy removed. */
  removePoint(source: number, time: number): void {
    this.change(() => this.#removePoint(source, time));
  }

  /** Forgets everything of a source. */
  removeSource(reference: HistorySource): void {
    this.change(() => {
      const source = this.points.findSource(reference);
      if (source === undefined) return;
      // The last one has the most rows, which would otherwise be changed with each of the others.
      for (const { time } of this.points.all(source).toReversed()) this.#removePoint(source, time);
      this.points.removeSource(source);
    });
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #removePoint(source: number, time: number): void {
    const isKnown = this.points.state(source, time) === 'known';
    this.points.remove(source, time);
    if (!isKnown) return;
    const gap = this.points.gapAt(source, time);
    this.#pieces.removePoint(gap);
    for (const entry of new Set(this.#versions.removePoint(gap))) {
      if (!this.#versions.hasVersions(entry)) this.#entries.remove(entry);
    }
  }

  /** Compares the ranges of paths that are not in shared pieces. Returns the last path of each piece. */
  #addRecords(gap: Gap, { pieces, lost }: ComparedPieces, tree: TreeOfPoint): readonly string[] {
    const lastPaths: string[] = [];
    let from: PathRange['from'];
    let lostBefore = 0;
    /** Only a piece that is lost has entries between two that are shared. */
    const isLostUntil = (to: string | undefined): boolean => {
      const start = lostBefore;
      const end = to === undefined ? -1 : lost.findIndex((last, at) => at >= start && comparePaths(last, to) >= 0);
      lostBefore = end === -1 ? lost.length : end;
      return lostBefore > start;
    };
    for (const { piece, index, sharedUntil } of pieces) {
      if (sharedUntil !== undefined) {
        const range = { from, to: piece.firstPath };
        if (isLostUntil(piece.firstPath) && !isEmpty(range)) this.#removeMissing(gap, range, new Set());
        from = { path: sharedUntil, isIncluded: false };
        lastPaths.push(sharedUntil);
        continue;
      }
      const records = tree.read(index);
      const present = this.#addPresent(gap, records);
      const to = pieces[index + 1]?.piece.firstPath;
      isLostUntil(to);
      this.#removeMissing(gap, { from, to }, present);
      from = to === undefined ? undefined : { path: to, isIncluded: true };
      lastPaths.push(records.at(-1)?.path ?? piece.firstPath);
    }
    const endsShared = pieces.at(-1)?.sharedUntil !== undefined;
    if ((endsShared || pieces.length === 0) && isLostUntil(undefined)) {
      this.#removeMissing(gap, { from, to: undefined }, new Set());
    }
    return lastPaths;
  }

  #addPresent(gap: Gap, records: readonly TreeRecord[]): ReadonlySet<number> {
    const present = new Set<number>();
    for (const record of records) {
      if (!isRecordable(record.path)) continue;
      const { id, isNew } = this.#entries.add(record.path);
      present.add(id);
      this.#versions.add(gap, id, contentOf(record), isNew ? [] : this.#versions.expected(gap, id));
    }
    return present;
  }

  /** Records that the entries of a range which are not present were not there. */
  #removeMissing(gap: Gap, range: PathRange, present: ReadonlySet<number>): void {
    for (const part of this.#entries.partsOf(range)) {
      for (const row of this.#versions.expectedIn(gap, part)) {
        if (!present.has(row.entry)) this.#versions.split(gap, row);
      }
    }
  }
}

function isEmpty({ from, to }: PathRange): boolean {
  return from?.isIncluded === true && from.path === to;
}
