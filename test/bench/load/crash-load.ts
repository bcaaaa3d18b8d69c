import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deviceToken, digestOf, good, STATS } from './client.ts';
import type { Answer, LoadClient, LoadDevice } from './client.ts';
import type { ServiceFleet } from './service-fleet.ts';
import { count, printTable } from './table.ts';

const SET = 'crash';
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

/** A service that is being killed: requests wait until it is back. */
class Patient {
  readonly #client: LoadClient;
  retries = 0;

  constructor(client: LoadClient) {
    this.#client = client;
  }

  post(path: string, body: unknown, token: string): Promise<Answer> {
    return this.#again(() => this.#client.post(path, body, token));
  }

  put(url: string, blob: Uint8Array, headers: Readonly<Record<string, string>>): Promise<Answer> {
    return this.#again(() => this.#client.put(url, blob, headers));
  }

  get(path: string, token?: string): Promise<Answer> {
    return this.#again(() => this.#client.get(path, token));
  }

  async #again(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await ask().catch(() => undefined);
      if (answer && answer.status < 500 && answer.status !== 429) return answer;
      this.retries += 1;
      await sleep(PAUSE * (0.5 + Math.random()));
    }
  }
}

/**
 * Runs backups of many devices at once while processes of the service are killed and restarted one after the other, and
 * then restores and compares everything.
 *
 * @param lasting the uptime of the service in seconds, over all its processes
 */
export async function measureCrashes(
  service: ServiceFleet,
  client: LoadClient,
  devices: readonly LoadDevice[],
  lasting: number,
  kills: number,
): Promise<boolean> {
  const patient = new Patient(client);
  const tokens = new Map<string, string>();
  for (const device of devices) tokens.set(device.id, await deviceToken(client, device));
  const attempts: Attempt[] = [];
  const ending = new AbortController();
  const work = devices.map(async (device) => {
    for (let round = 0; !ending.signal.aborted; round += 1) {
      await backUp(patient, device, tokens.get(device.id)!, attempts, round);
    }
  });
  // Only uptime counts: on a busy machine a start takes long.
  const killing = (async () => {
    const pause = (lasting * 1000) / (kills + 1);
    for (let kill = 0; kill < kills; kill += 1) {
      await sleep(pause);
      await service.killNext();
    }
    await sleep(pause);
    ending.abort();
  })();
  await Promise.all([...work, killing]);

  // Only data on disk counts, not the memory of a process.
  await service.killAll();
  await service.startAll();
  const found = await checkAll(patient, devices, tokens, attempts);
  const acknowledged = attempts.filter((attempt) => attempt.acknowledged !== undefined);
  printTable(
    `${devices.length} devices, ${service.urls.length} processes, ${lasting} s, kill -9 ${kills} times and once at the end`,
    ['what', 'number'],
    [
      ['runs that were begun', count(attempts.length)],
      ['restore points that were acknowledged', count(acknowledged.length)],
      ['requests that had to be repeated', count(patient.retries)],
      ['restore points that are there', count(found.points)],
      ['blobs that were fetched and compared', count(found.blobs)],
      ['acknowledged and lost', count(found.lost.length)],
      ['there and not whole', count(found.half.length)],
    ],
  );
  for (const what of [...found.lost, ...found.half].slice(0, 20)) console.log(what);
  return found.lost.length + found.half.length === 0 && acknowledged.length > 0;
}

async function backUp(
  patient: Patient,
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
  const manifest = { device_id: device.id, backup_set: SET, files: entries };
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

interface Found {
  points: number;
  blobs: number;
  readonly lost: string[];
  readonly half: string[];
}

async function checkAll(
  patient: Patient,
  devices: readonly LoadDevice[],
  tokens: ReadonlyMap<string, string>,
  attempts: readonly Attempt[],
): Promise<Found> {
  const found: Found = { points: 0, blobs: 0, lost: [], half: [] };
  const left = [...devices];
  const check = async (): Promise<void> => {
    for (let device = left.pop(); device; device = left.pop()) {
      const own = attempts.filter((attempt) => attempt.device === device);
      await checkDevice(patient, device, tokens.get(device.id)!, own, found);
    }
  };
  await Promise.all(Array.from({ length: CHECKERS }, check));
  return found;
}

async function checkDevice(
  patient: Patient,
  device: LoadDevice,
  token: string,
  attempts: readonly Attempt[],
  found: Found,
): Promise<void> {
  const query = new URLSearchParams({ device_id: device.id, backup_set: SET });
  const list = good('the restore points', await patient.get(`/rest/v1/restore_points?${query.toString()}`, token));
  const points = (list['restore_points'] as readonly { readonly restore_point: string }[]).map(
    (one) => one.restore_point,
  );
  found.points += points.length;
  for (const { acknowledged } of attempts) {
    if (acknowledged !== undefined && !points.includes(acknowledged)) found.lost.push(`${device.id} ${acknowledged}`);
  }
  for (const point of points) {
    const why = await restore(patient, device, token, point, attempts, found);
    if (why !== undefined) found.half.push(`${device.id} ${point}: ${why}`);
  }
}

/** Restores a point and compares it with its run. Returns the differences. */
async function restore(
  patient: Patient,
  device: LoadDevice,
  token: string,
  point: string,
  attempts: readonly Attempt[],
  found: Found,
): Promise<string | undefined> {
  const request = { device_id: device.id, backup_set: SET, point_in_time: point, path: '/', recursive: true };
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
