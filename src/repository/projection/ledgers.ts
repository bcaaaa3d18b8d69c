import { pluckOnce, prepareOnce } from '../../base/prepared-statements.ts';
import type { DamageProblem } from '../../format/repository/damage.ts';
import { LAST_NUMBER } from '../../format/repository/file-names.ts';
import type { LedgerHead } from '../../format/repository/segment.ts';
import type { ProjectionDatabase } from './schema.ts';

/** A writer with its newest segment. */
export interface LedgerWriter extends LedgerHead {
  readonly id: string;
  /** Time of the newest segment, by the writer's clock. */
  readonly time: number;
  /** The id of the device that it backs up as, and since when. Later than those before it, whatever the clocks say. */
  readonly device: string;
  readonly claimedAt: number;
  readonly name: string;
  readonly os: string;
  readonly agent: string;
  /** The public key to which a new master key is sealed; `null` if it states none. */
  readonly key: Uint8Array | null;
  /** The number of its newest checkpoint that was applied or written: segments up to it are not read. */
  readonly base: number;
  /** True if its device was retired. */
  readonly isRetired: boolean;
}

export interface FoundDamage {
  /** Name of the file. */
  readonly file: string;
  readonly problem: DamageProblem;
  /** Milliseconds since the epoch. */
  readonly foundAt: number;
  /** True after a repair has made up for it, or a person has accepted it. */
  readonly isAccepted: boolean;
  /** The listed file that was read, if one was. */
  readonly read: ListedSize | undefined;
}

/** A file as a listing shows it. */
export interface ListedSize {
  readonly bytes: number;
  readonly created: number | undefined;
}

interface WriterRow {
  readonly id: string;
  readonly number: number;
  readonly hash: string;
  readonly time: number;
  readonly device: string;
  readonly claimed_at: number;
  readonly name: string;
  readonly os: string;
  readonly agent: string;
  readonly key: Buffer | null;
  readonly base: number;
  readonly retired: number;
}

const WRITERS = `SELECT id, number, hash, time, device, claimed_at, name, os, agent, key, base,
  EXISTS (SELECT 1 FROM retired WHERE retired.device = writer.device) AS retired FROM writer`;

function writerIn({ claimed_at: claimedAt, retired, ...row }: WriterRow): LedgerWriter {
  return Object.assign(row, { claimedAt, isRetired: retired === 1 });
}

/** A writer that says to have read more segments than that of another one lies: they would be written in a hundred years. */
const MOST_UNSEEN = 1_000_000;

/** How far the ledgers of all writers were read, and what was wrong with them. */
export class LedgerTable {
  readonly #database: ProjectionDatabase;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
  }

  writers(): readonly LedgerWriter[] {
    return prepareOnce<[], WriterRow>(this.#database, `${WRITERS} ORDER BY id`).all().map(writerIn);
  }

  writer(id: string): LedgerWriter | undefined {
    const row = prepareOnce<[string], WriterRow>(this.#database, `${WRITERS} WHERE id = ?`).get(id);
    return row && writerIn(row);
  }

  /** The names of devices, by their ids: as their writers state them, or else as a repair has found them. */
  deviceNames(): ReadonlyMap<string, string> {
    const found = prepareOnce<[], { device: string; name: string }>(
      this.#database,
      `SELECT device, name FROM device_name
         UNION ALL SELECT * FROM (SELECT device, name FROM writer WHERE device <> '' ORDER BY claimed_at)`,
    ).all();
    return new Map(found.map(({ device, name }) => [device, name]));
  }

  /** Returns whether a segment was applied, or a checkpoint that stands for it. */
  hasSegment(writer: string, number: number, hash: string): boolean {
    return (
      prepareOnce(
        this.#database,
        `SELECT 1 WHERE EXISTS (SELECT 1 FROM segment WHERE writer = ? AND number = ? AND hash = ?)
           OR EXISTS (SELECT 1 FROM writer WHERE id = ? AND base >= ?)`,
      ).get(writer, number, hash, writer, number) !== undefined
    );
  }

  /** The segments that were applied themselves. */
  applied(): readonly (LedgerHead & { readonly writer: string })[] {
    return prepareOnce<[], LedgerHead & { writer: string }>(
      this.#database,
      'SELECT writer, number, hash FROM segment WHERE bytes > 0',
    ).all();
  }

  /** The segments that were applied and that no checkpoint stands for. */
  needed(): readonly (LedgerHead & { readonly writer: string; readonly bytes: number })[] {
    return prepareOnce<[], LedgerHead & { writer: string; bytes: number }>(
      this.#database,
      `SELECT s.writer, s.number, s.hash, s.bytes FROM segment s LEFT JOIN writer w ON w.id = s.writer
         WHERE s.number > coalesce(w.base, 0)`,
    ).all();
  }

  /** Records a checkpoint that was applied or written. */
  recordCheckpoint(writer: string, number: number): void {
    prepareOnce(this.#database, 'UPDATE writer SET base = max(base, ?) WHERE id = ?').run(number, writer);
  }

  /** Records a segment that was applied, or the state that a checkpoint stands for. */
  recordSegment(
    { writer, number, hash, time }: LedgerHead & { readonly writer: string; readonly time: number },
    bytes: number,
  ): void {
    prepareOnce(
      this.#database,
      'INSERT INTO segment (writer, number, hash, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ).run(writer, number, hash, bytes);
    prepareOnce(
      this.#database,
      `INSERT INTO writer (id, number, hash, time) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
         SET number = excluded.number, hash = excluded.hash, time = excluded.time
         WHERE (excluded.number, excluded.hash) > (writer.number, writer.hash)`,
    ).run(writer, number, hash, time);
  }

  /** Records the heads that a segment of `by` states. */
  recordHeads(by: string, heads: ReadonlyMap<string, LedgerHead>): void {
    const statement = prepareOnce(
      this.#database,
      `INSERT INTO witness (by_writer, writer, number, hash) VALUES (?, ?, ?, ?) ON CONFLICT (by_writer, writer) DO UPDATE
       SET number = excluded.number, hash = excluded.hash
       WHERE (excluded.number, excluded.hash) > (witness.number, witness.hash)`,
    );
    for (const [writer, { number, hash }] of heads) {
      if (number <= LAST_NUMBER) statement.run(by, writer, number, hash);
    }
  }

  /** The newest segments of writers that other writers have read and that were never read here. */
  unseenHeads(): readonly (LedgerHead & { readonly writer: string })[] {
    return prepareOnce<[number], { writer: string; number: number; hash: string }>(
      this.#database,
      `SELECT w.writer, max(w.number) AS number, w.hash FROM witness w LEFT JOIN writer d ON d.id = w.writer
         WHERE w.number > coalesce(d.number, 0) AND w.number <= coalesce(d.number, 0) + ? GROUP BY w.writer`,
    ).all(MOST_UNSEEN);
  }

  /** The number of `writer`'s newest segment that `by` had read when it wrote its own newest one. */
  seenBy(by: string, writer: string): number {
    return (
      pluckOnce<[string, string], number>(
        this.#database,
        'SELECT number FROM witness WHERE by_writer = ? AND writer = ?',
      ).get(by, writer) ?? 0
    );
  }

  /** @param read the listed file that was read */
  recordDamage(file: string, problem: DamageProblem, now: number, read?: ListedSize): void {
    prepareOnce(
      this.#database,
      `INSERT INTO damage (file, problem, found_at, bytes, created) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET bytes = excluded.bytes, created = excluded.created WHERE excluded.bytes IS NOT NULL`,
    ).run(file, problem, now, read?.bytes ?? null, read?.created ?? null);
  }

  clearDamage(file: string): void {
    prepareOnce(this.#database, 'DELETE FROM damage WHERE file = ?').run(file);
  }

  /** Returns whether a segment or checkpoint is damaged or missing that no repair has made up for. */
  isIncomplete(): boolean {
    return this.damage().some(({ file, isAccepted }) => !isAccepted && !file.startsWith('packs/'));
  }

  damage(): readonly FoundDamage[] {
    return prepareOnce<
      [],
      {
        file: string;
        problem: DamageProblem;
        found_at: number;
        bytes: number | null;
        created: number | null;
        accepted: number;
      }
    >(
      this.#database,
      `SELECT damage.*, EXISTS (SELECT 1 FROM accepted_damage a WHERE a.file = damage.file) AS accepted
         FROM damage ORDER BY file`,
    )
      .all()
      .map(({ found_at: foundAt, accepted, bytes, created, ...row }) =>
        Object.assign(row, {
          foundAt,
          isAccepted: accepted === 1,
          read: bytes === null ? undefined : { bytes, created: created ?? undefined },
        }),
      );
  }
}
