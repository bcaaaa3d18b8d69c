import type { Segment } from '../../format/repository/segment.ts';
import { FactApplier } from './apply-facts.ts';
import { Maintenance } from './maintenance.ts';
import { isUndamaged, openProjectionDatabase } from './database.ts';
import type { ProjectionDatabase } from './schema.ts';
import { FutureTimes } from './future-times.ts';
import { LockTable } from './lock-table.ts';
import { LedgerTable } from './ledgers.ts';
import { PackTable } from './packs.ts';
import { PointTable } from './points.ts';
import { UnfinishedPacks } from './unfinished-packs.ts';
import { UnnamedPacks } from './unnamed-packs.ts';

/**
 * What the ledgers of all devices fold to, in a database of this computer. A cache: it is written after the segments are
 * in the repository, and read from there anew when it is missing.
 */
export class Projection implements Disposable {
  readonly packs: PackTable;
  readonly unfinishedPacks: UnfinishedPacks;
  readonly unnamedPacks: UnnamedPacks;
  readonly points: PointTable;
  readonly ledgers: LedgerTable;
  readonly maintenance: Maintenance;
  readonly locks: LockTable;
  readonly futureTimes: FutureTimes;
  readonly #database: ProjectionDatabase;
  readonly #facts: FactApplier;

  /**
   * @param repository the repository's id
   * @throws HoldfastError `home_unwritable`
   */
  constructor(file: string, repository: string) {
    this.#database = openProjectionDatabase(file, repository);
    this.packs = new PackTable(this.#database);
    this.unfinishedPacks = new UnfinishedPacks(this.#database);
    this.unnamedPacks = new UnnamedPacks(this.#database);
    this.points = new PointTable(this.#database);
    this.ledgers = new LedgerTable(this.#database);
    this.maintenance = new Maintenance(this.#database);
    this.locks = new LockTable(this.#database);
    this.futureTimes = new FutureTimes(this.#database);
    this.#facts = new FactApplier(this.#database, this.packs);
  }

  /** Applies a segment that stands in the repository. One that was applied before changes nothing. */
  applySegment(segment: Segment, hash: string, bytes: number): void {
    this.change(() => {
      if (this.ledgers.hasSegment(segment.writer, segment.number, hash)) return;
      this.ledgers.recordSegment({ ...segment, hash }, bytes);
      this.ledgers.recordHeads(segment.writer, segment.heads);
      this.#facts.apply(segment, hash);
    });
  }

  /** Applies a checkpoint, which stands for the segments up to its number, also if some of these were applied. */
  applyCheckpoint(checkpoint: Segment): void {
    this.change(() => {
      this.ledgers.recordSegment({ ...checkpoint, hash: checkpoint.previous! }, 0);
      this.ledgers.recordCheckpoint(checkpoint.writer, checkpoint.number);
      this.ledgers.recordHeads(checkpoint.writer, checkpoint.heads);
      this.#facts.apply(checkpoint, checkpoint.previous!);
    });
  }

  /** Returns whether the database holds what was written to it. */
  isUndamaged(): boolean {
    return isUndamaged(this.#database);
  }

  /** Forgets everything, so that the ledgers are read from their beginning. */
  clear(): void {
    this.change(() => {
      const tables = this.#database
        .prepare<[], string>(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('repository', 'maintenance', 'locked_file', 'row_sum', 'sqlite_sequence')",
        )
        .pluck()
        .all();
      // Tables that refer to packs come first.
      for (const table of tables.toSorted((a, b) => Number(a === 'pack') - Number(b === 'pack'))) {
        this.#database.exec(`DELETE FROM ${table}`);
      }
    });
  }

  /** Runs changes in one transaction. */
  change<Result>(work: () => Result): Result {
    return this.#database.inTransaction ? work() : this.#database.transaction(work)();
  }

  /** For queries that belong to one operation alone. */
  get database(): ProjectionDatabase {
    return this.#database;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
