import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startStrictService } from '../../../helpers/strict-service/strict-service.ts';
import type { StrictService } from '../../../helpers/strict-service/strict-service.ts';

/*
 * The agent's tests assert that the strict service saw no violation. Here each kind is planted and has to be detected.
 * Requests are written by hand.
 */

const HASH = `sha256:${'ab'.repeat(32)}`;
const goodFile = { path: '/a', size: 3, modified: '2026-01-02T03:04:05.000Z', chunks: [{ hash: HASH, size: 3 }] };
const goodInit = { device_id: 'device-1', backup_set: 'documents', files: [goodFile] };
const stats = {
  files_processed: 1,
  chunks_new: 1,
  chunks_deduped: 0,
  bytes_scanned: 3,
  bytes_uploaded: 31,
  duration_seconds: 0,
};

/** A correct client that violates rules on request. */
class Hand {
  readonly service: StrictService;
  readonly #token: string;

  private constructor(service: StrictService, token: string) {
    this.service = service;
    this.#token = token;
  }

  static async signedIn(): Promise<Hand> {
    const service = await startStrictService();
    onTestFinished(() => service.close());
    const time = Math.floor(Date.now() / 1000);
    const hmac = createHmac('sha256', service.device.key).update(`${time}.device-1`).digest('hex');
    const body = { device_key: service.device.key, device_id: 'device-1', signature: `t=${time},v1=${hmac}` };
    const answer = await fetch(`${service.baseUrl}/functions/v1/auth/device`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return new Hand(service, ((await answer.json()) as { access_token: string }).access_token);
  }

  async post(endpoint: string, body: unknown, headers: Record<string, string> = {}): Promise<Record<string, string>> {
    const answer = await fetch(`${this.service.baseUrl}/functions/v1/${endpoint}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${this.#token}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    return text === '' ? {} : (JSON.parse(text) as Record<string, string>);
  }

  async put(url: string, body: Buffer, headers: Record<string, string> = {}): Promise<number> {
    const own = { 'Content-Type': 'application/octet-stream', ...headers };
    return (await fetch(url, { method: 'PUT', headers: own, body: new Uint8Array(body) })).status;
  }

  async session(): Promise<string> {
    return (await this.post('backup/init', goodInit))['session_id']!;
  }

  async uploadUrl(session: string): Promise<string> {
    return (await this.post('backup/presign', { session_id: session, chunk_hash: HASH, chunk_size: 31 }))[
      'upload_url'
    ]!;
  }

  /** Makes a complete backup of one chunk. Returns its session. */
  async backup(): Promise<string> {
    const session = await this.session();
    await this.put(await this.uploadUrl(session), Buffer.alloc(31));
    await this.post('backup/complete', { session_id: session, stats });
    return session;
  }

  async restoreSession(): Promise<string> {
    await this.backup();
    const at = new Date(Date.now() + 60_000).toISOString();
    const request = { device_id: 'device-1', backup_set: 'documents', point_in_time: at, path: '', recursive: true };
    return (await this.post('restore/manifest', request))['restore_session_id']!;
  }
}

const file = (change: object): object => ({ ...goodInit, files: [{ ...goodFile, ...change }] });
const planted: readonly (readonly [string, (hand: Hand) => Promise<unknown>])[] = [
  ['field backup_set is missing', (hand) => hand.post('backup/init', { ...goodInit, backup_set: undefined })],
  ['field extra is not in the interface', (hand) => hand.post('backup/init', { ...goodInit, extra: 1 })],
  ['field size is no count', (hand) => hand.post('backup/init', file({ size: '3' }))],
  ['field size is no count', (hand) => hand.post('backup/init', file({ size: 1.5 }))],
  [
    'field modified is no timestamp',
    (hand) => hand.post('backup/init', file({ modified: '2026-01-02T03:04:05+01:00' })),
  ],
  ['field hash is no hash', (hand) => hand.post('backup/init', file({ chunks: [{ hash: 'ab'.repeat(32), size: 3 }] }))],
  ['/a has 4 bytes, its chunks have 3', (hand) => hand.post('backup/init', file({ size: 4 }))],
  ['/a stands twice', (hand) => hand.post('backup/init', { ...goodInit, files: [goodFile, goodFile] })],
  ['device other is unknown', (hand) => hand.post('backup/init', { ...goodInit, device_id: 'other' })],
  ['the body is not JSON', (hand) => hand.post('backup/init', '{')],
  ['Content-Type text/plain', (hand) => hand.post('backup/init', goodInit, { 'Content-Type': 'text/plain' })],
  ['no bearer token', (hand) => hand.post('backup/init', goodInit, { Authorization: '' })],
  ['never given out', (hand) => hand.post('backup/init', goodInit, { Authorization: 'Bearer x' })],
  ['unknown route: POST /functions/v1/backup/abort', (hand) => hand.post('backup/abort', {})],
  [
    'is not needed',
    async (hand) => {
      const chunk = { chunk_hash: HASH.replace('ab', 'cd'), chunk_size: 31 };
      return hand.post('backup/presign', { session_id: await hand.session(), ...chunk });
    },
  ],
  [
    'chunk_size 3 of a chunk with 3 bytes',
    async (hand) => hand.post('backup/presign', { session_id: await hand.session(), chunk_hash: HASH, chunk_size: 3 }),
  ],
  [
    'has been uploaded already',
    async (hand) => {
      const session = await hand.session();
      await hand.put(await hand.uploadUrl(session), Buffer.alloc(31));
      return hand.uploadUrl(session);
    },
  ],
  [
    '30 bytes came where 31 were presigned',
    async (hand) => hand.put(await hand.uploadUrl(await hand.session()), Buffer.alloc(30)),
  ],
  [
    'a bearer token was sent to object storage',
    async (hand) => {
      const url = await hand.uploadUrl(await hand.session());
      return hand.put(url, Buffer.alloc(31), { Authorization: 'Bearer x' });
    },
  ],
  [
    'an address was used twice',
    async (hand) => {
      const url = await hand.uploadUrl(await hand.session());
      await hand.put(url, Buffer.alloc(31));
      return hand.put(url, Buffer.alloc(31));
    },
  ],
  [
    'chunks_uploaded 2 of 1',
    async (hand) => {
      const counts = { chunks_uploaded: 2, chunks_total: 1, bytes_uploaded: 31 };
      return hand.post('backup/progress', { session_id: await hand.session(), ...counts });
    },
  ],
  ['1 chunks are missing', async (hand) => hand.post('backup/complete', { session_id: await hand.session(), stats })],
  [
    'field duration_seconds is no count',
    async (hand) =>
      hand.post('backup/complete', { session_id: await hand.session(), stats: { ...stats, duration_seconds: 0.5 } }),
  ],
  ['the session is complete', async (hand) => hand.uploadUrl(await hand.backup())],
  ['the session is complete', async (hand) => hand.post('backup/complete', { session_id: await hand.backup(), stats })],
  [
    '101 hashes in one call',
    async (hand) => {
      const hashes = Array.from({ length: 101 }, () => HASH);
      return hand.post('restore/presign', { restore_session_id: await hand.restoreSession(), chunk_hashes: hashes });
    },
  ],
  [
    'is not in the manifest',
    async (hand) => {
      const hashes = [HASH.replace('ab', 'cd')];
      return hand.post('restore/presign', { restore_session_id: await hand.restoreSession(), chunk_hashes: hashes });
    },
  ],
];

test.each(planted)('detects: %s', async (departure, plant) => {
  const hand = await Hand.signedIn();
  await plant(hand);
  expect(hand.service.departures.join('\n')).toContain(departure);
});

test('detects nothing without violations', async () => {
  const hand = await Hand.signedIn();
  const session = await hand.restoreSession();
  const answer = await hand.post('restore/presign', { restore_session_id: session, chunk_hashes: [HASH] });
  expect(answer).toMatchObject({ downloads: [{ hash: HASH, size: 31, expires_in: 900 }] });
  expect(hand.service.departures).toEqual([]);
});

test('reports a fault that no call meets', async () => {
  const hand = await Hand.signedIn();
  const never = { endpoint: 'backup/init', call: 3, fault: { kind: 'status', status: 500 } } as const;
  hand.service.script(never);
  await hand.session();
  expect(hand.service.unfired()).toEqual([never]);
});

test('runs as a separate process', async () => {
  const main = fileURLToPath(new URL('../../../helpers/strict-service/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, '{"tokenSeconds":7}'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { baseUrl, controlUrl } = JSON.parse(line) as { baseUrl: string; controlUrl: string };

  const script = [{ endpoint: 'devices', call: 1, fault: { kind: 'html' } }];
  await fetch(controlUrl, { method: 'POST', body: JSON.stringify(script) });
  const answer = await fetch(`${baseUrl}/rest/v1/devices`);
  expect(answer.headers.get('content-type')).toContain('text/html');
  await fetch(`${baseUrl}/rest/v1/devices`);
  const state = (await (await fetch(controlUrl)).json()) as object;
  expect(state).toMatchObject({
    unfired: [],
    departures: ['devices: no bearer token'],
    code: expect.stringMatching(/^\d{6}$/),
  });

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
