import type Database from 'better-sqlite3';
import { sumOfRow } from '../catalog/sums.ts';

/** Sums are modulo 2^48, so that those of two are exact in a double. */
const MODULUS = 2 ** 48;

/** The tables with a sum over all of their rows, and the columns that it includes. */
const COLUMNS = {
  point: ['source', 'time', 'made', 'backup_id', 'state', 'roots'],
  folder: ['id', 'key', 'path'],
  entry: ['id', 'folder', 'name', 'folded'],
  version: ['entry', 'source', 'low', 'high', 'kind', 'size', 'modified', 'content'],
  piece: ['source', 'digest', 'low', 'high', 'last'],
} as const;

export type SummedTable = keyof typeof COLUMNS;

const TABLES = Object.keys(COLUMNS) as readonly SummedTable[];

/** Adds the sums of tables that are empty. */
export function addRowSums(database: Database.Database): void {
  const add = database.prepare('INSERT INTO row_sum (name, value) VALUES (?, 0)');
  for (const table of TABLES) add.run(table);
}

/** Returns whether all rows are those that were written. */
export function areRowsSound(database: Database.Database): boolean {
  return database.transaction(() =>
    TABLES.every((table) => {
      let sum = 0;
      const rows = database.prepare<[], unknown[]>(`SELECT ${COLUMNS[table].join()} FROM ${table}`).raw().iterate();
      for (const row of rows) sum = (sum + sumOfRow(row)) % MODULUS;
      return sum === database.prepare('SELECT value FROM row_sum WHERE name = ?').pluck().get(table);
    }),
  )();
}

/** Collects the changes of the sums in a transaction: a trigger that calls a function takes longer than the change itself. */
export class RowSums {
  readonly #changes = new Map<SummedTable, number>();

  /** @param values of the columns, in their order */
  added(table: SummedTable, ...values: readonly unknown[]): void {
    this.#change(table, sumOfRow(values));
  }

  removed(table: SummedTable, ...values: readonly unknown[]): void {
    this.#change(table, MODULUS - sumOfRow(values));
  }

  /** Writes the changes at the end of a transaction. */
  save(database: Database.Database): void {
    const update = database.prepare(`UPDATE row_sum SET value = (value + ?) & ${MODULUS - 1} WHERE name = ?`);
    for (const [table, change] of this.#changes) update.run(change, table);
    this.#changes.clear();
  }

  /** Forgets the changes of a transaction that failed. */
  discard(): void {
    this.#changes.clear();
  }

  #change(table: SummedTable, change: number): void {
    this.#changes.set(table, ((this.#changes.get(table) ?? 0) + change) % MODULUS);
  }
}
