import { hash } from 'node:crypto';
import { prepareOnce } from '../base/prepared-statements.ts';
import { comparePaths } from '../model/entry-path.ts';
import type { ListedPiece } from '../format/tree/record.ts';
import type { HistoryDatabase } from './database.ts';
import type { RowSums } from './row-sums.ts';
import { BEGINNING, END } from './schema.ts';
import type { Gap } from './versions.ts';

interface PieceRow {
  readonly digest: Buffer;
  readonly low: number;
  readonly high: number;
  /** Path of the last record. */
  readonly last: string;
}

/** A piece of a tree, compared with the neighbours of its restore point. */
export interface ComparedPiece {
  readonly piece: ListedPiece;
  readonly index: number;
  /** The path of its last record, if every neighbour has the piece: nothing in it is different. */
  readonly sharedUntil: string | undefined;
}

export interface ComparedPieces {
  readonly pieces: readonly ComparedPiece[];
  /** The last paths of pieces that a neighbour has and the restore point has not, in path order. */
  readonly lost: readonly string[];
}

const DIGEST_BYTES = 16;
const COLUMNS = 'digest, low, high, last';

/** The pieces of known trees, with the restore points that have them. */
export class PieceTable {
  readonly #database: HistoryDatabase;
  readonly #sums: RowSums;

  constructor(database: HistoryDatabase, sums: RowSums) {
    this.#database = database;
    this.#sums = sums;
  }

  /** Compares the pieces of a new restore point with those of its neighbours. The first restore point shares none. */
  compare(gap: Gap, pieces: readonly ListedPiece[]): ComparedPieces {
    const isAlone = gap.before === BEGINNING && gap.after === END;
    const expected = new Map(isAlone ? [] : this.#expected(gap).map((row) => [keyOf(row.digest), row]));
    const compared = pieces.map((piece, index): ComparedPiece => {
      const key = keyOf(digestOf(piece));
      const row = expected.get(key);
      expected.delete(key);
      const isShared =
        row && (gap.before === BEGINNING || row.low !== gap.before) && (gap.after === END || row.high !== gap.after);
      return { piece, index, sharedUntil: isShared ? row.last : undefined };
    });
    return { pieces: compared, lost: Array.from(expected.values(), ({ last }) => last).sort(comparePaths) };
  }

  /** @param lastPaths of each piece */
  addPoint(gap: Gap, pieces: readonly ListedPiece[], lastPaths: readonly string[]): void {
    const { source, before, time, after } = gap;
    const expected = new Map(this.#expected(gap).map((row) => [keyOf(row.digest), row]));
    pieces.forEach((piece, index) => {
      const digest = digestOf(piece);
      const key = keyOf(digest);
      if (!expected.delete(key)) this.#insert(source, { digest, low: before, high: after, last: lastPaths[index]! });
    });
    for (const row of expected.values()) {
      this.#delete(source, row);
      if (row.low !== before) this.#insert(source, { ...row, high: time });
      if (row.high !== after) this.#insert(source, { ...row, low: time });
    }
  }

  removePoint({ source, before, time, after }: Gap): void {
    const rows = prepareOnce<number[], PieceRow>(
      this.#database,
      `SELECT ${COLUMNS} FROM piece WHERE source = ? AND low = ?
       UNION SELECT ${COLUMNS} FROM piece WHERE source = ? AND high = ?
       UNION SELECT ${COLUMNS} FROM piece WHERE source = ? AND low = ? AND high = ?`,
    ).all(source, time, source, time, source, before, after);
    for (const row of rows) this.#delete(source, row);
    for (const same of Map.groupBy(rows, ({ digest }) => keyOf(digest)).values()) {
      const ending = same.find(({ high }) => high === time);
      const beginning = same.find(({ low }) => low === time);
      const row = ending ?? beginning;
      if (!row) continue;
      this.#insert(source, { ...row, low: ending?.low ?? before, high: beginning?.high ?? after });
    }
  }

  /** The pieces of the neighbours. */
  #expected({ source, before, time, after }: Gap): readonly PieceRow[] {
    // Those of the newest and of the oldest restore point are one value of an index.
    return before === BEGINNING
      ? prepareOnce<[number, number], PieceRow>(
          this.#database,
          `SELECT ${COLUMNS} FROM piece WHERE source = ? AND low = ${BEGINNING} AND high > ?`,
        ).all(source, time)
      : prepareOnce<[number, number, number], PieceRow>(
          this.#database,
          `SELECT ${COLUMNS} FROM piece WHERE source = ? AND high >= ? AND low < ?`,
        ).all(source, after, time);
  }

  #insert(source: number, { digest, low, high, last }: PieceRow): void {
    prepareOnce(this.#database, 'INSERT INTO piece VALUES (?, ?, ?, ?, ?)').run(source, digest, low, high, last);
    this.#sums.added('piece', source, digest, low, high, last);
  }

  #delete(source: number, { digest, low, high, last }: PieceRow): void {
    prepareOnce(this.#database, 'DELETE FROM piece WHERE source = ? AND digest = ? AND low = ?').run(
      source,
      digest,
      low,
    );
    this.#sums.removed('piece', source, digest, low, high, last);
  }
}

function digestOf({ chunks }: ListedPiece): Buffer {
  return hash('sha256', chunks, 'buffer').subarray(0, DIGEST_BYTES);
}

function keyOf(digest: Buffer): string {
  return digest.toString('latin1');
}
