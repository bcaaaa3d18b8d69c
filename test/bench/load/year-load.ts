import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { METADATA_FILE } from '../../../src/service/database/sqlite/sqlite-connection.ts';
import { SimulatedAgent } from './simulated-agent.ts';
import { count, printTable } from './table.ts';

const HOUR = 3_600_000;
const MONTHS = [1, 3, 6, 12];
const HOURS_OF_MONTH = 730;
/** Runs after which the progress is shown. */
const PROGRESS = 500;
/** The largest tables that are named. */
const NAMED_TABLES = 8;

export interface YearLoad {
  /** Files of the set. */
  readonly files: number;
  /** Of which this many are changed in each run. */
  readonly changed: number;
  readonly runs: number;
  /** Whether the year without a policy is left out. */
  readonly policy: 'only' | 'both';
}

/** What the app suggests: hourly for a day, then sparser. */
const POLICY = {
  keep_all_days: 7,
  hourly: 0,
  daily: 30,
  weekly: 12,
  monthly: 24,
  yearly: 0,
  time_zone: 'UTC',
} as const;

/**
 * Simulates hourly runs of one device for a year, with housekeeping after each, and prints how the database grows. The service runs
 * in this process with a clock that is moved.
 */
export async function measureYear(folder: string, load: YearLoad): Promise<void> {
  for (const policy of load.policy === 'only' ? [POLICY] : [undefined, POLICY]) {
    const name = policy ? 'with-policy' : 'keep-all';
    const rows = await simulate(join(folder, name), load, policy);
    const kept = policy
      ? `${policy.keep_all_days} days, ${policy.daily} daily, ${policy.weekly} weekly, ${policy.monthly} monthly points`
      : 'every point';
    printTable(
      `${count(load.runs)} hourly runs, ${count(load.files)} files, ${load.changed} changed in each; keeps ${kept}`,
      ['after', 'points', 'metadata.sqlite', 'in use', 'for each run'],
      rows.growth,
    );
    printTable('Largest tables and indexes at the end', ['', 'bytes'], rows.tables);
  }
}

async function simulate(folder: string, load: YearLoad, policy: typeof POLICY | undefined) {
  const agent = await SimulatedAgent.start(folder);
  const database = new Database(join(folder, METADATA_FILE));
  try {
    const files = new Map<string, string>();
    const growth: string[][] = [];
    let next = 0;
    for (let index = 1; index <= load.runs; index += 1) {
      for (let changed = index === 1 ? load.files : load.changed; changed > 0; changed -= 1) {
        files.set(`/home/folder ${next % 40}/file ${next % load.files}`, randomBytes(32).toString('hex'));
        next += 1;
      }
      await agent.backUp(files);
      if (index === 1 && policy) await agent.setPolicy(policy);
      agent.advance(HOUR);
      await agent.tidy();
      if (index % PROGRESS === 0) process.stderr.write(`${count(index)} of ${count(load.runs)} runs\n`);
      if (index === load.runs || MONTHS.some((month) => month * HOURS_OF_MONTH === index)) {
        growth.push(growthRow(folder, database, index));
      }
    }
    return { growth, tables: largestTables(database) };
  } finally {
    database.close();
    await agent[Symbol.asyncDispose]();
  }
}

function growthRow(folder: string, database: Database.Database, runs: number): string[] {
  database.pragma('wal_checkpoint(TRUNCATE)');
  const pageSize = Number(database.pragma('page_size', { simple: true }));
  const pages = Number(database.pragma('page_count', { simple: true }));
  const free = Number(database.pragma('freelist_count', { simple: true }));
  const points = database
    .prepare<[], number>('SELECT count(*) FROM session WHERE restore_point IS NOT NULL AND removed_at IS NULL')
    .pluck()
    .get()!;
  const inUse = (pages - free) * pageSize;
  const size = statSync(join(folder, METADATA_FILE)).size;
  return [`${count(runs)} runs`, count(points), mebibytes(size), mebibytes(inUse), `${count(inUse / runs)} B`];
}

function largestTables(database: Database.Database): string[][] {
  return database
    .prepare<[number], { name: string; bytes: number }>(
      'SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC LIMIT ?',
    )
    .all(NAMED_TABLES)
    .map(({ name, bytes }) => [name, count(bytes)]);
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
