import { pluckOnce, prepareOnce } from '../base/prepared-statements.ts';
import type { HistoryDatabase } from './database.ts';
import type { RowSums } from './row-sums.ts';
import { BEGINNING, END } from './schema.ts';
import type { Gap } from './versions.ts';

/** A set of a device at a destination. */
export interface HistorySource {
  /** Its id. */
  readonly destination: string;
  readonly device: string;
  readonly set: string;
}

/** `waiting` until its tree was read; `damaged` if that cannot be read. */
export type PointState = 'waiting' | 'known' | 'damaged';

export interface HistoryPoint {
  /** Milliseconds since the epoch. Identifies it. */
  readonly time: number;
  /** When it was made: earlier than its time after a clock that was ahead. */
  readonly made: number;
  readonly backupId: string;
  readonly state: PointState;
  /** Why it is damaged: the code of an error. */
  readonly problem: string | undefined;
  readonly triedAt: number;
}

interface PointRow extends Omit<HistoryPoint, 'problem'> {
  readonly roots: string;
  readonly problem: string | null;
}

const COLUMNS = 'time, made, backup_id AS backupId, state, roots, problem, tried_at AS triedAt';

/** The sources and their restore points. */
export class PointTable {
  readonly #database: HistoryDatabase;
  readonly #sums: RowSums;

  constructor(database: HistoryDatabase, sums: RowSums) {
    this.#database = database;
    this.#sums = sums;
  }

  findSource({ destination, device, set }: HistorySource): number | undefined {
    return pluckOnce<[string, string, string], number>(
      this.#database,
      'SELECT id FROM source WHERE destination = ? AND device = ? AND backup_set = ?',
    ).get(destination, device, set);
  }

  addSource({ destination, device, set }: HistorySource): number {
    prepareOnce(
      this.#database,
      'INSERT INTO source (destination, device, backup_set) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ).run(destination, device, set);
    return this.findSource({ destination, device, set })!;
  }

  sources(): readonly (HistorySource & { readonly id: number; readonly listedAt: number })[] {
    return prepareOnce<[], HistorySource & { id: number; listedAt: number }>(
      this.#database,
      'SELECT id, destination, device, backup_set AS "set", listed_at AS listedAt FROM source ORDER BY id',
    ).all();
  }

  removeSource(source: number): void {
    prepareOnce(this.#database, 'DELETE FROM source WHERE id = ?').run(source);
  }

  setListed(source: number, at: number): void {
    prepareOnce(this.#database, 'UPDATE source SET listed_at = ? WHERE id = ?').run(at, source);
  }

  /** Oldest first. */
  all(source: number): readonly HistoryPoint[] {
    return prepareOnce<[number], PointRow>(
      this.#database,
      `SELECT ${COLUMNS} FROM point WHERE source = ? ORDER BY time`,
    )
      .all(source)
      .map(({ time, made, backupId, state, problem, triedAt }) => ({
        time,
        made,
        backupId,
        state,
        problem: problem ?? undefined,
        triedAt,
      }));
  }

  /** Times of the restore points whose trees were read, in ascending order. */
  known(source: number): readonly number[] {
    return pluckOnce<[number], number>(
      this.#database,
      "SELECT time FROM point WHERE source = ? AND state = 'known' ORDER BY time",
    ).all(source);
  }

  /** When restore points were made whose own times follow one from a clock that was ahead. */
  late(source: number): ReadonlyMap<number, number> {
    const rows = prepareOnce<[number], { readonly time: number; readonly made: number }>(
      this.#database,
      'SELECT time, made FROM point WHERE source = ? AND made <> time',
    ).all(source);
    return new Map(rows.map(({ time, made }) => [time, made]));
  }

  setMade(source: number, time: number, made: number): void {
    const row = this.#find(source, time);
    if (!row || row.made === made) return;
    prepareOnce(this.#database, 'UPDATE point SET made = ? WHERE source = ? AND time = ?').run(made, source, time);
    this.#sums.removed('point', source, time, row.made, row.backupId, row.state, row.roots);
    this.#sums.added('point', source, time, made, row.backupId, row.state, row.roots);
  }

  roots(source: number, time: number): readonly string[] {
    return JSON.parse(this.#find(source, time)?.roots ?? '[]') as string[];
  }

  state(source: number, time: number): PointState | undefined {
    return this.#find(source, time)?.state;
  }

  /** The gap between the known neighbours of a time. */
  gapAt(source: number, time: number): Gap {
    const neighbour = (sql: string): number | null | undefined =>
      pluckOnce<[number, number], number | null>(this.#database, sql).get(source, time);
    const known = "FROM point WHERE source = ? AND state = 'known' AND time";
    return {
      source,
      before: neighbour(`SELECT max(time) ${known} < ?`) ?? BEGINNING,
      time,
      after: neighbour(`SELECT min(time) ${known} > ?`) ?? END,
    };
  }

  put(
    source: number,
    point: Omit<HistoryPoint, 'problem'> & { readonly problem?: string; readonly roots?: readonly string[] },
  ): void {
    this.remove(source, point.time);
    const roots = JSON.stringify(point.roots ?? []);
    const { time, made, backupId, state, problem, triedAt } = point;
    prepareOnce(this.#database, 'INSERT INTO point VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
      source,
      time,
      made,
      backupId,
      state,
      roots,
      problem ?? null,
      triedAt,
    );
    this.#sums.added('point', source, time, made, backupId, state, roots);
  }

  remove(source: number, time: number): void {
    const row = this.#find(source, time);
    if (!row) return;
    prepareOnce(this.#database, 'DELETE FROM point WHERE source = ? AND time = ?').run(source, time);
    this.#sums.removed('point', source, time, row.made, row.backupId, row.state, row.roots);
  }

  #find(source: number, time: number): PointRow | undefined {
    return prepareOnce<[number, number], PointRow>(
      this.#database,
      `SELECT ${COLUMNS} FROM point WHERE source = ? AND time = ?`,
    ).get(source, time);
  }
}
