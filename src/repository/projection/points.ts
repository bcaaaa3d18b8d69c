import { pluckOnce, prepareOnce } from '../../base/prepared-statements.ts';
import { retentionPolicy, type RetentionPolicy } from '../../protocol/retention.ts';
import { LATEST_TIME } from '../../format/repository/facts.ts';
import type { ProjectionDatabase } from './schema.ts';

/** A set of a device. */
export interface SetName {
  readonly device: string;
  readonly set: string;
}

export interface Point extends SetName {
  /** 16 bytes. */
  readonly id: Buffer;
  /** Milliseconds since the epoch; rises within a set. */
  readonly time: number;
  /** When the run was completed, by the writer's clock: earlier than `time` if that follows one from a clock that was ahead. */
  readonly completed: number;
  /** Number of the segment that states it. */
  readonly number: number;
  /** Digest of the footer's chunk. */
  readonly tree: Buffer;
  /** Digest of the key envelope's chunk. */
  readonly envelope: Buffer | undefined;
  readonly files: number;
  readonly bytes: number;
  /** Bytes of the packs that its run added. */
  readonly stored: number;
  readonly isPinned: boolean;
}

interface PointRow {
  readonly id: Buffer;
  readonly device: string;
  readonly set_name: string;
  readonly time: number;
  readonly completed: number | null;
  readonly number: number;
  readonly tree: Buffer;
  readonly envelope: Buffer | null;
  readonly files: number;
  readonly bytes: number;
  readonly stored: number;
  readonly pinned: number | null;
}

const POINTS = `
  SELECT point.*, pin.pinned FROM live_point AS point LEFT JOIN pin ON pin.id = point.id WHERE true`;

export interface StoredAlarm extends SetName {
  /** 16 bytes. */
  readonly id: Buffer;
  readonly time: number;
  readonly reasons: readonly string[];
}

/** The restore points that are not removed, and what was decided about them. */
export class PointTable {
  readonly #database: ProjectionDatabase;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
  }

  /** All restore points, newest first. */
  all(): readonly Point[] {
    return this.#query(`${POINTS} ORDER BY point.time DESC, point.id`);
  }

  isEmpty(): boolean {
    return prepareOnce(this.#database, 'SELECT 1 FROM live_point LIMIT 1').get() === undefined;
  }

  /** Restore points of a set, newest first. */
  ofSet({ device, set }: SetName): readonly Point[] {
    return this.#query(
      `${POINTS} AND point.device = ? AND point.set_name = ? ORDER BY point.time DESC, point.number DESC`,
      device,
      set,
    );
  }

  /** The restore point of a set that has the time, or else the newest of those that were completed until then. */
  newestUntil({ device, set }: SetName, time: number): Point | undefined {
    const sql = `${POINTS} AND point.device = ? AND point.set_name = ?
      AND (point.time = ? OR min(point.time, coalesce(point.completed, point.time)) <= ?)
      ORDER BY point.time = ? DESC, point.time DESC, point.number DESC LIMIT 1`;
    return this.#query(sql, device, set, time, time, time)[0];
  }

  find(id: Uint8Array): Point | undefined {
    return this.#query(`${POINTS} AND point.id = ?`, id)[0];
  }

  /** Returns whether a footer's restore point is known or was removed by choice; not if a repair gave it up. */
  isTreeKnown(tree: Uint8Array): boolean {
    return (
      prepareOnce(
        this.#database,
        'SELECT 1 WHERE EXISTS (SELECT 1 FROM live_point WHERE tree = ?) OR EXISTS (SELECT 1 FROM removed_tree WHERE tree = ?)',
      ).get(tree, tree) !== undefined
    );
  }

  /** Removed points, too: the time of a new one is after all of them. */
  latestTime({ device, set }: SetName): number | undefined {
    return (
      pluckOnce<[string, string], number | null>(
        this.#database,
        'SELECT max(time) FROM point WHERE device = ? AND set_name = ?',
      ).get(device, set) ?? undefined
    );
  }

  /** Sets of a device that have restore points, with the time of the newest. */
  setsOf(device: string): readonly { readonly set: string; readonly newest: number }[] {
    return prepareOnce<[string], { set: string; newest: number }>(
      this.#database,
      `SELECT set_name AS "set", max(time) AS newest FROM live_point WHERE device = ?
         GROUP BY set_name ORDER BY set_name`,
    ).all(device);
  }

  /** Times and numbers of all points of a device, also removed ones, for `witnessTimes`. */
  timesOf(device: string): readonly { readonly sequence: number; readonly restorePoint: number }[] {
    return prepareOnce<[string], { sequence: number; restorePoint: number }>(
      this.#database,
      'SELECT number AS sequence, time AS restorePoint FROM point WHERE device = ?',
    ).all(device);
  }

  policy({ device, set }: SetName): RetentionPolicy | undefined {
    const text = pluckOnce<[string, string], string | null>(
      this.#database,
      'SELECT policy FROM policy WHERE device = ? AND set_name = ?',
    ).get(device, set);
    return text === null || text === undefined ? undefined : retentionPolicy.parse(JSON.parse(text));
  }

  /** Sets with a policy. */
  withPolicy(): readonly SetName[] {
    return prepareOnce<[], SetName>(
      this.#database,
      'SELECT device, set_name AS "set" FROM policy WHERE policy IS NOT NULL',
    ).all();
  }

  /** The longest minimum age in days of a set's own rules, and of those for the whole repository. */
  minimumDays({ device, set }: SetName): { readonly set: number; readonly all: number } {
    const longest = pluckOnce<[string, string], number | null>(
      this.#database,
      'SELECT max(days) FROM minimum WHERE device = ? AND set_name = ?',
    );
    return { set: longest.get(device, set) ?? 0, all: longest.get('', '') ?? 0 };
  }

  /** The longest minimum of all sets and of the whole repository, in days. */
  longestMinimumDays(): number {
    return pluckOnce<[], number | null>(this.#database, 'SELECT max(days) FROM minimum').get() ?? 0;
  }

  /** Alarms that nobody has released, newest first. */
  alarms(): readonly StoredAlarm[] {
    return prepareOnce<[], { id: Buffer; device: string; set: string; time: number; reasons: string }>(
      this.#database,
      `SELECT id, device, set_name AS "set", time, reasons FROM alarm
         WHERE NOT EXISTS (SELECT 1 FROM alarm_release WHERE alarm_release.id = alarm.id) ORDER BY time DESC, id`,
    )
      .all()
      .map(({ reasons, ...alarm }) => Object.assign(alarm, { reasons: JSON.parse(reasons) as string[] }));
  }

  /** A time for a new decision about a pin: later than the last decision, whatever the clocks say. */
  pinTime(point: Uint8Array, now: number): number {
    return Math.min(LATEST_TIME, Math.max(now, this.#timeAfter('SELECT time FROM pin WHERE id = ?', point)));
  }

  /** A time for a new policy: later than the last one, whatever the clocks say. */
  policyTime({ device, set }: SetName, now: number): number {
    const after = this.#timeAfter('SELECT time FROM policy WHERE device = ? AND set_name = ?', device, set);
    return Math.min(LATEST_TIME, Math.max(now, after));
  }

  #timeAfter(sql: string, ...values: readonly unknown[]): number {
    return (pluckOnce<unknown[], number>(this.#database, sql).get(...values) ?? -1) + 1;
  }

  #query(sql: string, ...values: readonly unknown[]): readonly Point[] {
    return prepareOnce<unknown[], PointRow>(this.#database, sql)
      .all(...values)
      .map(({ set_name: set, envelope, pinned, ...row }) =>
        Object.assign(row, {
          set,
          completed: Math.min(row.time, row.completed ?? row.time),
          envelope: envelope ?? undefined,
          isPinned: pinned === 1,
        }),
      );
  }
}
