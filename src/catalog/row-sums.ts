import type { CatalogDatabase } from './schema.ts';
import { sumOfBlock, sumOfPlace, sumOfRow } from './sums.ts';

/** Sums are modulo 2^48, so that those of two are exact in a double. */
const MODULUS = 2 ** 48;

/** The tables with a sum over all of their rows, and the columns that it includes. Blocks have sums of their own as well. */
const COLUMNS = {
  backup_set: ['id', 'name', 'revision', 'roots'],
  root: ['backup_set', 'path', 'real'],
  committed_tree: [
    'backup_set',
    'destination',
    'revision',
    'device',
    'backup_id',
    'tree_hash',
    'private_names',
    'key_id',
    'full_at',
    'runs_since',
  ],
  tree_piece: ['backup_set', 'destination', 'number', 'first_path', 'chunks', 'records', 'files', 'bytes'],
  damaged_chunk: ['digest'],
  restore_point: [
    'destination',
    'device',
    'backup_set',
    'time',
    'backup_id',
    'files',
    'bytes',
    'completed',
    'tree_hash',
    'listed',
  ],
  tree_seen: ['destination', 'device', 'backup_set', 'sequence', 'tree_hash', 'previous_tree', 'created'],
  dirty: ['backup_set', 'key', 'written_at', 'removed_at'],
  block: ['directory', 'first'],
} as const;

export type SummedTable = keyof typeof COLUMNS;

export const SUMMED_TABLES = Object.keys(COLUMNS) as readonly SummedTable[];
/** Tables that grow with the number of files. */
export const LARGE_TABLES: ReadonlySet<SummedTable> = new Set(['dirty', 'block']);

/** The columns of a job, which has a sum of its own: what is sound of a damaged catalog's jobs is kept. */
export const JOB_COLUMNS = [
  'id',
  'kind',
  'backup_set',
  'destination',
  'state',
  'started_at',
  'ended_at',
  'began_by',
  'request',
  'report',
  'files_done',
  'bytes_done',
  'progress_at',
  'resumes',
  'kills',
  'target_volume',
  'waits_for',
] as const;

/** Adds the sums of tables that are empty. */
export function addRowSums(database: CatalogDatabase): void {
  const add = database.prepare('INSERT INTO row_sum (name, value) VALUES (?, 0)');
  for (const table of SUMMED_TABLES) add.run(table);
}

/** Keeps the sums up to date, by triggers of this connection. */
export function keepRowSums(database: CatalogDatabase): void {
  database.function('row_sum_of', { varargs: true, deterministic: true }, (...values) => sumOfRow(values));
  const trigger = (table: string, event: string, change: string): void => {
    database.exec(`CREATE TEMP TRIGGER sum_${table}_${event} AFTER ${event} ON main.${table} BEGIN ${change}; END`);
  };
  for (const table of SUMMED_TABLES) {
    const sumOf = (row: string): string =>
      `CAST(row_sum_of(${COLUMNS[table].map((column) => `${row}.${column}`).join()}) AS INTEGER)`;
    const add = (change: string): string =>
      `UPDATE row_sum SET value = (value ${change}) & ${MODULUS - 1} WHERE name = '${table}'`;
    trigger(table, 'insert', add(`+ ${sumOf('new')}`));
    trigger(table, 'delete', add(`- ${sumOf('old')}`));
    // The names of blocks do not change.
    if (table !== 'block') trigger(table, 'update', add(`- ${sumOf('old')} + ${sumOf('new')}`));
  }
  const ofJob = `CAST(row_sum_of(${JOB_COLUMNS.map((column) => `new.${column}`).join()}) AS INTEGER)`;
  trigger('job', 'insert', `INSERT INTO job_sum (job, value) VALUES (new.id, ${ofJob})`);
  trigger('job', 'update', `UPDATE job_sum SET value = ${ofJob} WHERE job = new.id`);
}

/** Returns whether the rows of a table are those that were written. */
export function areRowsSound(database: CatalogDatabase, table: SummedTable): boolean {
  const expected = database.prepare('SELECT value FROM row_sum WHERE name = ?').pluck().get(table);
  let sum = 0;
  for (const row of database.prepare<[], unknown[]>(`SELECT ${COLUMNS[table].join()} FROM ${table}`).raw().iterate()) {
    sum = (sum + sumOfRow(row)) % MODULUS;
  }
  return sum === expected;
}

/** Returns whether all jobs are those that were written. */
export function areJobsSound(database: CatalogDatabase): boolean {
  const rows = database
    .prepare<[], unknown[]>(
      `SELECT job_sum.value, ${JOB_COLUMNS.map((column) => `job.${column}`).join()}
       FROM job LEFT JOIN job_sum ON job_sum.job = job.id`,
    )
    .raw();
  let count = 0;
  for (const [expected, ...values] of rows.iterate()) {
    if (sumOfRow(values) !== expected) return false;
    count += 1;
  }
  return database.prepare('SELECT count(*) FROM job_sum').pluck().get() === count;
}

/** Returns whether all directories and blocks are those that were written. */
export function areBlocksSound(database: CatalogDatabase): boolean {
  const directories = database
    .prepare<[], [number, number, number | null, string | null, number, number, Buffer, number]>(
      'SELECT id, backup_set, parent, name, place_sum, split, entries, sum FROM directory',
    )
    .raw();
  for (const [id, setId, parent, name, placeSum, split, entries, sum] of directories.iterate()) {
    if (sumOfPlace(id, setId, parent, name) !== placeSum || sumOfBlock(id, '', split, entries) !== sum) return false;
  }
  const blocks = database
    .prepare<[], [number, string, Buffer, number]>('SELECT directory, first, entries, sum FROM block')
    .raw();
  for (const [directory, first, entries, sum] of blocks.iterate()) {
    if (sumOfBlock(directory, first, 1, entries) !== sum) return false;
  }
  return true;
}
