import Database from 'better-sqlite3';
import type { CatalogDatabase } from './schema.ts';
import { areRowsSound, JOB_COLUMNS } from './row-sums.ts';
import { sumOfRow } from './sums.ts';

type Row = readonly unknown[];

/** What is kept of a damaged catalog, because neither the disk nor a destination has it. */
export interface Rescued {
  readonly jobs: readonly Row[];
  readonly transitions: readonly Row[];
  readonly tables: ReadonlyMap<string, readonly Row[]>;
  /** True if jobs are missing, or may be. */
  readonly lostJobs: boolean;
}

/** Tables that are kept if all of their rows are sound. */
const KEPT_WHOLE = ['damaged_chunk', 'restore_point', 'tree_seen'] as const;

const JOB = `SELECT ${JOB_COLUMNS.join()} FROM job`;

/** Reads what is sound of a damaged catalog. Never throws for its damage. */
export function rescue(file: string): Rescued {
  let database: CatalogDatabase | undefined;
  try {
    database = new Database(file, { fileMustExist: true });
    const { jobs, lostJobs } = soundJobs(database);
    const tables = new Map(KEPT_WHOLE.map((table) => [table, soundTable(database!, table)]));
    return { jobs, transitions: transitionsOf(database, jobs), tables, lostJobs };
  } catch {
    return { jobs: [], transitions: [], tables: new Map(), lostJobs: true };
  } finally {
    database?.close();
  }
}

/** Adds what was rescued to a new catalog. */
export function restoreRescued(database: CatalogDatabase, { jobs, transitions, tables }: Rescued): void {
  const insert = (table: string, rows: readonly Row[]): void => {
    for (const row of rows) {
      database.prepare(`INSERT OR IGNORE INTO ${table} VALUES (${row.map(() => '?').join()})`).run(...row);
    }
  };
  insert('job', jobs);
  insert('job_transition', transitions);
  for (const [table, rows] of tables) insert(table, rows);
}

function soundJobs(database: CatalogDatabase): { readonly jobs: readonly Row[]; readonly lostJobs: boolean } {
  const sums = new Map(readAll(database, 'SELECT job, value FROM job_sum', 'job').rows as [number, number][]);
  const { rows, isWhole } = readAll(database, JOB, 'id');
  const sound = new Map(rows.filter((row) => sumOfRow(row) === sums.get(row[0] as number)).map((row) => [row[0], row]));
  const resumes = JOB_COLUMNS.indexOf('resumes');
  const jobs = [...sound.values()]
    .map((row) => (sound.has(row[resumes]) ? row : row.with(resumes, null)))
    .toSorted((a, b) => Number(a[0]) - Number(b[0]));
  return { jobs, lostJobs: !isWhole || jobs.length < Math.max(rows.length, sums.size) };
}

function transitionsOf(database: CatalogDatabase, jobs: readonly Row[]): readonly Row[] {
  const known = new Set(jobs.map(([id]) => id));
  const { rows } = readAll(database, 'SELECT job, number, state, at, reason FROM job_transition', 'job');
  return rows.filter(([job]) => known.has(job));
}

function soundTable(database: CatalogDatabase, table: (typeof KEPT_WHOLE)[number]): readonly Row[] {
  try {
    if (!areRowsSound(database, table)) return [];
    return database.prepare<[], unknown[]>(`SELECT * FROM ${table}`).raw().all();
  } catch {
    return [];
  }
}

/** Reads rows from both ends, each up to the first page that is damaged. */
function readAll(
  database: CatalogDatabase,
  sql: string,
  key: string,
): { readonly rows: readonly unknown[][]; readonly isWhole: boolean } {
  const rows: unknown[][] = [];
  for (const order of ['', ' DESC']) {
    try {
      for (const row of database.prepare<[], unknown[]>(`${sql} ORDER BY ${key}${order}`).raw().iterate())
        rows.push(row);
      return { rows, isWhole: order === '' };
    } catch {
      // The other end may still be readable.
    }
  }
  return { rows, isWhole: false };
}
