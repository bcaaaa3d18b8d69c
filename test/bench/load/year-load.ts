import { createHmac, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { pathSortKey } from '../../../src/protocol/path.ts';
import { registerDevice } from '../../../src/service/devices/devices.ts';
import { openStores } from '../../../src/service/open-stores.ts';
import { performRetention } from '../../../src/service/retention/retention.ts';
import { createService } from '../../../src/service/service.ts';
import type { Service } from '../../../src/service/service.ts';
import { METADATA_FILE } from '../../../src/service/store/database/sqlite-connection.ts';
import { STATS } from './client.ts';
import { count, printTable } from './table.ts';

const BASE = 'http://service.test';
const HOUR = 3_600_000;
const SET = 'documents';
const SIZE = 1_000;
const OVERHEAD = 28;
const MONTHS = [1, 3, 6, 12];
const HOURS_OF_MONTH = 730;
/** Runs after which the progress is shown. */
const PROGRESS = 500;
/** Uploads at once, which share the writes to disk. */
const AT_ONCE = 20;
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
  let now = Date.parse('2026-01-01T00:30:00.000Z');
  const stores = await openStores(folder, { create: true });
  const service = await createService({
    ...stores,
    clock: { now: () => now },
    log: pino({ level: 'error' }),
    publicUrl: BASE,
  });
  const database = new Database(join(folder, METADATA_FILE));
  try {
    const account = await stores.metadata.accounts.createAccount(now);
    const { device, device_key: key } = await registerDevice(service.context, account.id, {
      name: 'laptop',
      os: 'linux',
      agent_version: '1',
    });
    service.keepHouse();
    const files = new Map<string, string>();
    const growth: string[][] = [];
    let next = 0;
    for (let index = 1; index <= load.runs; index += 1) {
      for (let changed = index === 1 ? load.files : load.changed; changed > 0; changed -= 1) {
        files.set(`/home/folder ${next % 40}/file ${next % load.files}`, randomBytes(32).toString('hex'));
        next += 1;
      }
      await backUp(service, { id: device.id, key }, now, files);
      if (index === 1 && policy) {
        const request = { action: 'set', device_id: device.id, backup_set: SET, policy } as const;
        await performRetention(service.context, account.id, request, undefined);
      }
      now += HOUR;
      await service.tidy();
      if (index % PROGRESS === 0) process.stderr.write(`${count(index)} of ${count(load.runs)} runs\n`);
      if (index === load.runs || MONTHS.some((month) => month * HOURS_OF_MONTH === index)) {
        growth.push(growthRow(folder, database, index));
      }
    }
    return { growth, tables: largestTables(database) };
  } finally {
    database.close();
    await service.close();
  }
}

async function backUp(
  service: Service,
  device: { readonly id: string; readonly key: string },
  now: number,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const time = Math.floor(now / 1000);
  const hmac = createHmac('sha256', device.key).update(`${time}.${device.id}`).digest('hex');
  const credentials = { device_key: device.key, device_id: device.id, signature: `t=${time},v1=${hmac}` };
  const token = String((await post(service, '/functions/v1/auth/device', credentials))['access_token']);
  // In the order in which agents send them: the service looks up each file that is out of order by itself.
  const entries = [...files]
    .toSorted(([a], [b]) => (pathSortKey(a) < pathSortKey(b) ? -1 : 1))
    .map(([path, digest]) => ({
      path,
      size: SIZE,
      modified: '2026-01-01T00:00:00.000Z',
      chunks: [{ hash: `sha256:${digest}`, size: SIZE }],
    }));
  const manifest = { device_id: device.id, backup_set: SET, files: entries };
  const init = await post(service, '/functions/v1/backup/init', manifest, token);
  const sessionId = init['session_id'];
  const upload = async (hash: string): Promise<void> => {
    const blob = randomBytes(SIZE + OVERHEAD);
    const request = { session_id: sessionId, chunk_hash: hash, chunk_size: blob.length };
    const presign = await post(service, '/functions/v1/backup/presign', request, token);
    const headers = presign['headers'] as Record<string, string>;
    const put = new Request(String(presign['upload_url']), { method: 'PUT', headers, body: blob });
    const { status } = await service.fetch(put);
    if (status !== 200) throw new Error(`PUT answered ${status}`);
  };
  const needed = init['chunks_needed'] as readonly { readonly hash: string }[];
  for (let from = 0; from < needed.length; from += AT_ONCE) {
    await Promise.all(needed.slice(from, from + AT_ONCE).map(({ hash }) => upload(hash)));
  }
  await post(service, '/functions/v1/backup/complete', { session_id: sessionId, stats: STATS }, token);
}

async function post(
  service: Service,
  path: string,
  body: unknown,
  token?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await service.fetch(
    new Request(BASE + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    }),
  );
  if (answer.status === 200) return (await answer.json()) as Record<string, unknown>;
  throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
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
