import type { DamageProblem } from '../format/damage.ts';
import type { LedgerHead } from '../format/segment.ts';
import type { ProjectionDatabase } from './database.ts';

/** A device with its newest segment. */
export interface LedgerDevice extends LedgerHead {
  readonly id: string;
  /** Time of the newest segment, by the device's clock. */
  readonly time: number;
  readonly name: string;
  readonly os: string;
  readonly agent: string;
  readonly publicKey: Buffer | undefined;
  readonly isRetired: boolean;
}

export interface FoundDamage {
  /** Name of the file. */
  readonly file: string;
  readonly problem: DamageProblem;
  /** Milliseconds since the epoch. */
  readonly foundAt: number;
  /** True after a person has looked at it. */
  readonly isAccepted: boolean;
}

interface DeviceRow {
  readonly id: string;
  readonly number: number;
  readonly hash: string;
  readonly time: number;
  readonly name: string;
  readonly os: string;
  readonly agent: string;
  readonly public_key: Buffer | null;
  readonly retired: number;
}

/** How far the ledgers of all devices were read, and what was wrong with them. */
export class LedgerTable {
  readonly #database: ProjectionDatabase;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
  }

  devices(): readonly LedgerDevice[] {
    return this.#database
      .prepare<[], DeviceRow>('SELECT * FROM device ORDER BY id')
      .all()
      .map(({ public_key, retired, ...row }) => ({
        ...row,
        publicKey: public_key ?? undefined,
        isRetired: retired === 1,
      }));
  }

  device(id: string): LedgerDevice | undefined {
    return this.devices().find((device) => device.id === id);
  }

  hasSegment(device: string, number: number, hash: string): boolean {
    return (
      this.#database
        .prepare('SELECT 1 FROM segment WHERE device = ? AND number = ? AND hash = ?')
        .get(device, number, hash) !== undefined
    );
  }

  /** Records a segment that was applied, or the state that a checkpoint stands for. */
  recordSegment(
    { device, number, hash, time }: LedgerHead & { readonly device: string; readonly time: number },
    bytes: number,
  ): void {
    this.#database
      .prepare('INSERT INTO segment (device, number, hash, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .run(device, number, hash, bytes);
    this.#database
      .prepare(
        `INSERT INTO device (id, number, hash, time) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
         SET number = excluded.number, hash = excluded.hash, time = excluded.time WHERE excluded.number >= device.number`,
      )
      .run(device, number, hash, time);
  }

  /** Records the heads that a segment of `by` states. */
  recordHeads(by: string, heads: ReadonlyMap<string, LedgerHead>): void {
    const statement = this.#database.prepare(
      `INSERT INTO witness (by_device, device, number, hash) VALUES (?, ?, ?, ?) ON CONFLICT (by_device, device) DO UPDATE
       SET number = excluded.number, hash = excluded.hash WHERE excluded.number > witness.number`,
    );
    for (const [device, { number, hash }] of heads) statement.run(by, device, number, hash);
  }

  /** The newest segments of devices that other devices have read and that were never read here. */
  unseenHeads(): readonly (LedgerHead & { readonly device: string })[] {
    return this.#database
      .prepare<[], { device: string; number: number; hash: string }>(
        `SELECT w.device, max(w.number) AS number, w.hash FROM witness w LEFT JOIN device d ON d.id = w.device
         WHERE d.number IS NULL OR w.number > d.number GROUP BY w.device`,
      )
      .all();
  }

  /** The number of `device`'s newest segment that `by` had read when it wrote its own newest one. */
  seenBy(by: string, device: string): number {
    return (
      this.#database
        .prepare<[string, string], number>('SELECT number FROM witness WHERE by_device = ? AND device = ?')
        .pluck()
        .get(by, device) ?? 0
    );
  }

  recordDamage(file: string, problem: DamageProblem, now: number): void {
    this.#database
      .prepare('INSERT INTO damage (file, problem, found_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
      .run(file, problem, now);
  }

  clearDamage(file: string): void {
    this.#database.prepare('DELETE FROM damage WHERE file = ?').run(file);
  }

  /** Lets collecting go on although this damage is known. */
  acceptDamage(): void {
    this.#database.prepare('UPDATE damage SET accepted = 1').run();
  }

  damage(): readonly FoundDamage[] {
    return this.#database
      .prepare<[], { file: string; problem: DamageProblem; found_at: number; accepted: number }>(
        'SELECT file, problem, found_at, accepted FROM damage ORDER BY file',
      )
      .all()
      .map(({ found_at, accepted, ...row }) => ({ ...row, foundAt: found_at, isAccepted: accepted === 1 }));
  }
}
