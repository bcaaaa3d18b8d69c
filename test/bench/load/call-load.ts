import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerDevice } from './account.ts';
import { deviceToken, good, STATS } from './client.ts';
import type { Answer, LoadClient, LoadDevice } from './client.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, megabytes, printTable } from './table.ts';

const SET = 'documents';
const OVERHEAD = 28;
/** Files of a device's manifest, and how many of them are new in each run. */
const FILES = 100;
const NEW_FILES = 3;
const BLOB = 20_000;
/** Every tenth run is followed by a restore of one folder, every fiftieth by the list of all devices. */
const RESTORE_EVERY = 10;
const LIST_EVERY = 50;
const REGISTERING = 8;
const BEGINNING = 8;

interface ActiveDevice extends LoadDevice {
  token: string | undefined;
  files: readonly { readonly path: string; readonly hash: string }[];
}

/** The durations of each call, in milliseconds. */
type Durations = Map<string, number[]>;

export interface CallLoad {
  /** All devices of the account. */
  readonly registered: number;
  /** The devices that back up, in turn. */
  readonly active: number;
  /** Runs that begin in a second. */
  readonly rate: number;
  readonly seconds: number;
}

/**
 * Measures the duration of each call at a given rate of runs. A run begins when it is due, not when an earlier one has ended, so a
 * slow service shows in the durations.
 *
 * @param token access token of the account's owner
 */
export async function measureCalls(
  service: ServiceProcess,
  client: LoadClient,
  token: string,
  load: CallLoad,
): Promise<void> {
  const devices = await registerAll(client, token, load);
  const durations: Durations = new Map();
  const caller = new TimedCaller(client, durations);
  // A first run of each device uploads everything, which is measured by `manifests`.
  const left = [...devices];
  const begin = async (): Promise<void> => {
    for (let device = left.pop(); device; device = left.pop()) await backUp(new TimedCaller(client, new Map()), device);
  };
  await Promise.all(Array.from({ length: BEGINNING }, begin));
  service.used();
  const from = performance.now();
  const runs: Promise<void>[] = [];
  const total = Math.round(load.rate * load.seconds);
  for (let index = 0; index < total; index += 1) {
    await sleep(Math.max(0, from + (index * 1000) / load.rate - performance.now()));
    runs.push(run(caller, devices[index % devices.length]!, token, index));
  }
  const waiting = performance.now();
  await Promise.all(runs);
  const { cpu, peak } = service.used();
  const wall = (performance.now() - from) / 1000;
  printTable(
    `${count(load.registered)} devices registered, ${count(load.active)} active, ${load.rate} runs a second for ${load.seconds} s`,
    ['call', 'number', 'p50', 'p99', 'longest'],
    [...durations].map(([what, all]) => rowOf(what, all)),
  );
  console.log(
    `${count(total)} runs; the last one ended ${Math.round(performance.now() - waiting)} ms after it began; the service used ` +
      `${((100 * cpu) / wall).toFixed(0)} % of a processor and at most ${megabytes(peak)}`,
  );
}

async function registerAll(client: LoadClient, token: string, load: CallLoad): Promise<readonly ActiveDevice[]> {
  const devices: ActiveDevice[] = [];
  let left = load.registered;
  const register = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      devices.push({ ...(await registerDevice(client, token, `laptop ${left}`)), token: undefined, files: [] });
    }
  };
  await Promise.all(Array.from({ length: REGISTERING }, register));
  return devices.slice(0, load.active);
}

async function run(caller: TimedCaller, device: ActiveDevice, owner: string, index: number): Promise<void> {
  await backUp(caller, device);
  if (index % RESTORE_EVERY === 0) await restore(caller, device);
  if (index % LIST_EVERY === 0) await caller.get('list of devices', '/rest/v1/devices', owner);
}

async function backUp(caller: TimedCaller, device: ActiveDevice): Promise<void> {
  device.token ??= await caller.time('device authentication', () => deviceToken(caller.client, device));
  const missing = FILES - device.files.length;
  const fresh = Array.from({ length: Math.max(missing, NEW_FILES) }, (_, index) => ({
    path: `/home/folder ${index % 10}/${randomBytes(6).toString('hex')}`,
    hash: `sha256:${randomBytes(32).toString('hex')}`,
  }));
  const files = [...fresh, ...device.files].slice(0, FILES);
  const entries = files.map(({ path, hash }) => ({
    path,
    size: BLOB,
    modified: '2026-01-01T00:00:00.000Z',
    chunks: [{ hash, size: BLOB }],
  }));
  const { token } = device;
  const manifest = { device_id: device.id, backup_set: SET, files: entries };
  const init = await caller.post('backup/init', '/functions/v1/backup/init', manifest, token);
  const sessionId = init['session_id'];
  for (const { hash } of init['chunks_needed'] as readonly { hash: string }[]) {
    const blob = randomBytes(BLOB + OVERHEAD);
    const request = { session_id: sessionId, chunk_hash: hash, chunk_size: blob.length };
    const presign = await caller.post('backup/presign', '/functions/v1/backup/presign', request, token);
    const headers = presign['headers'] as Record<string, string>;
    const put = await caller.time('PUT', () => caller.client.put(String(presign['upload_url']), blob, headers));
    if (put.status !== 200) throw new Error(`PUT answered ${put.status}`);
  }
  const progress = { session_id: sessionId, chunks_uploaded: 3, chunks_total: 3, bytes_uploaded: 3 * BLOB };
  await caller.post('backup/progress', '/functions/v1/backup/progress', progress, token);
  const ending = { session_id: sessionId, stats: STATS };
  await caller.post('backup/complete', '/functions/v1/backup/complete', ending, token);
  device.files = files;
}

async function restore(caller: TimedCaller, device: ActiveDevice): Promise<void> {
  const request = {
    device_id: device.id,
    backup_set: SET,
    point_in_time: '2100-01-01T00:00:00.000Z',
    path: '/home/folder 3',
    recursive: true,
  };
  const manifest = await caller.post('restore/manifest', '/functions/v1/restore/manifest', request, device.token);
  const files = manifest['files'] as readonly { readonly chunks: readonly string[] }[];
  const hashes = files.flatMap(({ chunks }) => chunks);
  if (hashes.length === 0) throw new Error('the folder is empty');
  const body = { restore_session_id: manifest['restore_session_id'], chunk_hashes: hashes.slice(0, 100) };
  const presigned = await caller.post('restore/presign', '/functions/v1/restore/presign', body, device.token);
  for (const { url } of presigned['downloads'] as readonly { readonly url: string }[]) {
    const answer = await caller.time('GET', () => caller.client.get(url));
    if (answer.status !== 200) throw new Error(`GET answered ${answer.status}`);
  }
}

/** Records the duration of each call. */
class TimedCaller {
  readonly client: LoadClient;
  readonly #durations: Durations;

  constructor(client: LoadClient, durations: Durations) {
    this.client = client;
    this.#durations = durations;
  }

  async post(what: string, path: string, body: unknown, token: string | undefined): Promise<Record<string, unknown>> {
    return good(what, await this.time(what, () => this.client.post(path, body, token)));
  }

  async get(what: string, path: string, token: string): Promise<Answer> {
    const answer = await this.time(what, () => this.client.get(path, token));
    good(what, answer);
    return answer;
  }

  async time<Result>(what: string, call: () => Promise<Result>): Promise<Result> {
    const from = performance.now();
    const result = await call();
    const all = this.#durations.get(what) ?? [];
    all.push(performance.now() - from);
    this.#durations.set(what, all);
    return result;
  }
}

function rowOf(what: string, durations: readonly number[]): readonly string[] {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number): string => `${sorted[Math.ceil(share * sorted.length) - 1]!.toFixed(1)} ms`;
  return [what, count(sorted.length), at(0.5), at(0.99), at(1)];
}
