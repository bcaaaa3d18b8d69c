import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deviceToken, digestOf, good, STATS } from './client.ts';
import type { Answer, LoadClient, LoadDevice } from './client.ts';

const OVERHEAD = 28;
/** Plaintext bytes of a run's files: small, around the size limit of packs, and large. */
const SIZES = [100, 3_000, 40_000, 131_044, 131_045];
/** The delay before a client retries, in milliseconds. */
const PAUSE = 100;
/** The number of concurrent checking restores. */
const CHECKERS = 8;

interface BackedUp {
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  /** The digest of the blob. */
  readonly digest: string;
}

interface Attempt {
  readonly device: LoadDevice;
  /** Keyed by the path of its first file, which no other run has. */
  readonly name: string;
  readonly files: readonly BackedUp[];
  /** The restore point, set after the response to `complete`. */
  acknowledged: string | undefined;
}

/** A client of a service with faults: it repeats a request until the service can do it. */
class Patient {
  readonly #client: LoadClient;
  /** Requests that were repeated. */
  retries = 0;
  /** Responses of 5xx other than a 503 with `Retry-After`, or a 507. */
  readonly unexpected: string[] = [];

  constructor(client: LoadClient) {
    this.#client = client;
  }

  post(path: string, body: unknown, token: string): Promise<Answer> {
    return this.#again(path, () => this.#client.post(path, body, token));
  }

  put(url: string, blob: Uint8Array, headers: Readonly<Record<string, string>>): Promise<Answer> {
    return this.#again('PUT', () => this.#client.put(url, blob, headers));
  }

  get(path: string, token?: string): Promise<Answer> {
    return this.#again('GET', () => this.#client.get(path, token));
  }

  async #again(what: string, ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await ask().catch(() => undefined);
      if (answer && answer.status < 500 && answer.status !== 429) return answer;
      if (answer && !isExpected(answer)) {
        this.unexpected.push(`${what}: ${answer.status} ${answer.bytes.toString('utf8').slice(0, 200)}`);
      }
      this.retries += 1;
      await sleep(PAUSE * (0.5 + Math.random()));
    }
  }
}

function isExpected({ status, retryAfter }: Answer): boolean {
  return status === 429 || status === 507 || (status === 503 && retryAfter !== undefined);
}

/** Devices that back up again and again, and a check that everything acknowledged is there and whole. */
export class BackupLoad {
  readonly #patient: Patient;
  readonly #devices: readonly LoadDevice[];
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #attempts: Attempt[] = [];
  /** No other load has this set. */
  readonly #set = `load ${randomBytes(6).toString('hex')}`;
  readonly #ending = new AbortController();
  #work: Promise<unknown> = Promise.resolve();

  private constructor(patient: Patient, devices: readonly LoadDevice[], tokens: ReadonlyMap<string, string>) {
    this.#patient = patient;
    this.#devices = devices;
    this.#tokens = tokens;
  }

  static async start(client: LoadClient, devices: readonly LoadDevice[]): Promise<BackupLoad> {
    const tokens = new Map<string, string>();
    for (const device of devices) tokens.set(device.id, await deviceToken(client, device));
    const load = new BackupLoad(new Patient(client), devices, tokens);
    load.#work = Promise.all(devices.map((device) => load.#backUpAgainAndAgain(device)));
    load.#work.catch(() => undefined);
    return load;
  }

  get devices(): number {
    return this.#devices.length;
  }

  get begun(): number {
    return this.#attempts.length;
  }

  get acknowledged(): number {
    return this.#attempts.filter(({ acknowledged }) => acknowledged !== undefined).length;
  }

  get retries(): number {
    return this.#patient.retries;
  }

  get unexpected(): readonly string[] {
    return this.#patient.unexpected;
  }

  /** Resolves when `condition` holds. Rejects when a device has failed. */
  async until(condition: () => boolean): Promise<void> {
    const failed = this.#work.then(() => true);
    while (!condition()) {
      if (await Promise.race([failed, sleep(10, false)])) throw new Error('the load has ended');
    }
  }

  /** Begins no more runs, and waits for those that were begun. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#work;
  }

  /** Restores and compares everything. */
  check(): Promise<Found> {
    return checkAll(this.#patient, this.#set, this.#devices, this.#tokens, this.#attempts);
  }

  async #backUpAgainAndAgain(device: LoadDevice): Promise<void> {
    for (let round = 0; !this.#ending.signal.aborted; round += 1) {
      await backUp(this.#patient, this.#set, device, this.#tokens.get(device.id)!, this.#attempts, round);
    }
  }
}

async function backUp(
  patient: Patient,
  set: string,
  device: LoadDevice,
  token: string,
  attempts: Attempt[],
  round: number,
): Promise<void> {
  const name = randomBytes(6).toString('hex');
  const blobs = SIZES.map((size) => randomBytes(size + OVERHEAD));
  const files = blobs.map((blob, index): BackedUp => ({
    path: `/${name}/${index}`,
    hash: `sha256:${randomBytes(32).toString('hex')}`,
    size: blob.length - OVERHEAD,
    digest: digestOf(blob),
  }));
  const attempt: Attempt = { device, name, files, acknowledged: undefined };
  attempts.push(attempt);
  const entries = files.map(({ path, hash, size }) => ({
    path,
    size,
    modified: '2026-01-01T00:00:00.000Z',
    chunks: [{ hash, size }],
  }));
  const manifest = { device_id: device.id, backup_set: set, files: entries };
  const init = good('init', await patient.post('/functions/v1/backup/init', manifest, token));
  const sessionId = init['session_id'];
  const bring = async (index: number): Promise<void> => {
    const request = { session_id: sessionId, chunk_hash: files[index]!.hash, chunk_size: blobs[index]!.length };
    const presign = good('presign', await patient.post('/functions/v1/backup/presign', request, token));
    const headers = presign['headers'] as Record<string, string>;
    const { status } = await patient.put(String(presign['upload_url']), blobs[index]!, headers);
    // The response to the first PUT may have been lost with the process.
    if (status !== 200 && status !== 412) throw new Error(`PUT answered ${status}`);
  };
  // Both in turn and all at once, so that the kills hit both.
  if (round % 2 === 0) await Promise.all(blobs.map((_, index) => bring(index)));
  else for (const index of blobs.keys()) await bring(index);
  const complete = await patient.post('/functions/v1/backup/complete', { session_id: sessionId, stats: STATS }, token);
  attempt.acknowledged = String(good('complete', complete)['restore_point']);
}

export interface Found {
  points: number;
  blobs: number;
  readonly lost: string[];
  readonly half: string[];
}

async function checkAll(
  patient: Patient,
  set: string,
  devices: readonly LoadDevice[],
  tokens: ReadonlyMap<string, string>,
  attempts: readonly Attempt[],
): Promise<Found> {
  const found: Found = { points: 0, blobs: 0, lost: [], half: [] };
  const left = [...devices];
  const check = async (): Promise<void> => {
    for (let device = left.pop(); device; device = left.pop()) {
      const own = attempts.filter((attempt) => attempt.device === device);
      await checkDevice(patient, set, device, tokens.get(device.id)!, own, found);
    }
  };
  await Promise.all(Array.from({ length: CHECKERS }, check));
  return found;
}

async function checkDevice(
  patient: Patient,
  set: string,
  device: LoadDevice,
  token: string,
  attempts: readonly Attempt[],
  found: Found,
): Promise<void> {
  const query = new URLSearchParams({ device_id: device.id, backup_set: set });
  const list = good('the restore points', await patient.get(`/rest/v1/restore_points?${query.toString()}`, token));
  const points = (list['restore_points'] as readonly { readonly restore_point: string }[]).map(
    (one) => one.restore_point,
  );
  found.points += points.length;
  for (const { acknowledged } of attempts) {
    if (acknowledged !== undefined && !points.includes(acknowledged)) found.lost.push(`${device.id} ${acknowledged}`);
  }
  for (const point of points) {
    const why = await restore(patient, set, device, token, point, attempts, found);
    if (why !== undefined) found.half.push(`${device.id} ${point}: ${why}`);
  }
}

/** Restores a point and compares it with its run. Returns the differences. */
async function restore(
  patient: Patient,
  set: string,
  device: LoadDevice,
  token: string,
  point: string,
  attempts: readonly Attempt[],
  found: Found,
): Promise<string | undefined> {
  const request = { device_id: device.id, backup_set: set, point_in_time: point, path: '/', recursive: true };
  const answer = await patient.post('/functions/v1/restore/manifest', request, token);
  if (answer.status !== 200) return `its manifest is ${answer.status}`;
  const manifest = answer.json();
  if (manifest['point_in_time'] !== point) return 'its manifest is of another time';
  const files = manifest['files'] as readonly { path: string; size: number; chunks: readonly string[] }[];
  const [, name] = files[0]?.path.split('/') ?? [];
  const attempt = attempts.find((one) => one.name === name);
  if (!attempt) return 'no run made it';
  if (attempt.acknowledged !== undefined && attempt.acknowledged !== point)
    return 'it was acknowledged at another time';
  const is = files.map(({ path, size, chunks }) => [path, size, ...chunks].join(' ')).toSorted();
  const should = attempt.files.map(({ path, size, hash }) => [path, size, hash].join(' ')).toSorted();
  if (is.join('\n') !== should.join('\n')) return 'its tree is not the one that was sent';
  const body = {
    restore_session_id: manifest['restore_session_id'],
    chunk_hashes: attempt.files.map(({ hash }) => hash),
  };
  const presigned = await patient.post('/functions/v1/restore/presign', body, token);
  if (presigned.status !== 200) return `its presign is ${presigned.status}`;
  const downloads = presigned.json()['downloads'] as readonly { hash: string; url: string }[];
  for (const { hash, digest } of attempt.files) {
    const url = downloads.find((download) => download.hash === hash)?.url;
    if (url === undefined) return `there is no download for ${hash}`;
    const blob = await patient.get(url);
    if (blob.status !== 200 || digestOf(blob.bytes) !== digest) return `the blob of ${hash} is another one`;
    found.blobs += 1;
  }
  return undefined;
}
