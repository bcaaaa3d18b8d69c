import { createHmac, randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { pathSortKey } from '../../../src/model/entry-path.ts';
import { registerDevice } from '../../../src/service/devices/devices.ts';
import { openStores } from '../../../src/service/open-stores.ts';
import { performRetention } from '../../../src/service/retention/retention.ts';
import { createService, type Service } from '../../../src/service/service.ts';
import { STATS } from './client.ts';
import { count } from './table.ts';

const BASE = 'http://service.test';
const SET = 'documents';
const SIZE = 1_000;
const OVERHEAD = 28;
/** Uploads at once, which share the writes to disk. */
const AT_ONCE = 20;

/** SHA-256 of each file's only chunk, by path. */
export type SimulatedFiles = ReadonlyMap<string, string>;

type Policy = Extract<Parameters<typeof performRetention>[2], { action: 'set' }>['policy'];

interface Parts {
  readonly service: Service;
  readonly accountId: string;
  readonly device: { readonly id: string; readonly key: string };
  readonly clock: { time: number };
}

/** A device with one set, and its service in this process with a clock that is moved. */
export class SimulatedAgent implements AsyncDisposable {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async start(folder: string): Promise<SimulatedAgent> {
    const clock = { time: Date.parse('2026-01-01T00:30:00.000Z') };
    const stores = await openStores(folder, { create: true });
    const service = await createService({
      ...stores,
      clock: { now: () => clock.time },
      log: pino({ level: 'error' }),
      publicUrl: BASE,
    });
    const account = await stores.metadata.accounts.createAccount(clock.time);
    const { device, device_key: key } = await registerDevice(service.context, account.id, {
      name: 'laptop',
      os: 'linux',
      agent_version: '1',
    });
    service.keepHouse();
    return new SimulatedAgent({ service, accountId: account.id, device: { id: device.id, key }, clock });
  }

  advance(milliseconds: number): void {
    this.#parts.clock.time += milliseconds;
  }

  async tidy(): Promise<void> {
    await this.#parts.service.tidy();
  }

  async setPolicy(policy: Policy): Promise<void> {
    const { service, accountId, device } = this.#parts;
    const request = { action: 'set', device_id: device.id, backup_set: SET, policy } as const;
    await performRetention(service.context, accountId, request, undefined);
  }

  /** @param base the run that `files` are the differences from; by default they are all files. Returns the new run. */
  async backUp(files: SimulatedFiles, base?: string): Promise<string> {
    const token = await this.#signIn();
    // In the order in which agents send them: the service looks up each file that is out of order by itself.
    const entries = [...files]
      .toSorted(([a], [b]) => (pathSortKey(a) < pathSortKey(b) ? -1 : 1))
      .map(([path, digest]) => ({
        path,
        size: SIZE,
        modified: '2026-01-01T00:00:00.000Z',
        chunks: [{ hash: `sha256:${digest}`, size: SIZE }],
      }));
    const head = { device_id: this.#parts.device.id, backup_set: SET, ...(base === undefined ? {} : { base }) };
    const init = await this.#post('/functions/v1/backup/init', { ...head, files: entries }, token);
    const sessionId = init['session_id'];
    const upload = async (hash: string): Promise<void> => {
      const blob = randomBytes(SIZE + OVERHEAD);
      const request = { session_id: sessionId, chunk_hash: hash, chunk_size: blob.length };
      const presign = await this.#post('/functions/v1/backup/presign', request, token);
      const headers = presign['headers'] as Record<string, string>;
      const put = new Request(String(presign['upload_url']), { method: 'PUT', headers, body: blob });
      const { status } = await this.#parts.service.fetch(put);
      if (status !== 200) throw new Error(`PUT answered ${status}`);
    };
    const needed = init['chunks_needed'] as readonly { readonly hash: string }[];
    for (let from = 0; from < needed.length; from += AT_ONCE) {
      await Promise.all(needed.slice(from, from + AT_ONCE).map(({ hash }) => upload(hash)));
    }
    const run = await this.#post('/functions/v1/backup/complete', { session_id: sessionId, stats: STATS }, token);
    return String(run['backup_id']);
  }

  /** Returns the CPU time and size of the list of all restore points, which an agent reads after each run. */
  async listed(): Promise<string> {
    const token = await this.#signIn();
    const path = `/rest/v1/restore_points?device_id=${this.#parts.device.id}&backup_set=${SET}`;
    const before = process.cpuUsage();
    const answer = await this.#parts.service.fetch(new Request(BASE + path, { headers: bearer(token) }));
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    const { byteLength } = await answer.arrayBuffer();
    const { user, system } = process.cpuUsage(before);
    return `${((user + system) / 1000).toFixed(1)} ms, ${count(byteLength)} bytes`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.service.close();
  }

  async #signIn(): Promise<string> {
    const { device, clock } = this.#parts;
    // A signature is valid once.
    clock.time += 1_000;
    const time = Math.floor(clock.time / 1000);
    const hmac = createHmac('sha256', device.key).update(`${time}.${device.id}`).digest('hex');
    const credentials = { device_key: device.key, device_id: device.id, signature: `t=${time},v1=${hmac}` };
    return String((await this.#post('/functions/v1/auth/device', credentials))['access_token']);
  }

  async #post(path: string, body: unknown, token?: string): Promise<Readonly<Record<string, unknown>>> {
    const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : bearer(token)) };
    const request = new Request(BASE + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = await this.#parts.service.fetch(request);
    if (answer.status === 200) return (await answer.json()) as Record<string, unknown>;
    throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  }
}

function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}
