import { createHash, createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { onTestFinished } from 'vitest';
import type { AccountSettings } from '../../../src/service/auth/account-settings.ts';
import { registerDevice } from '../../../src/service/devices/devices.ts';
import { CHEAP } from '../../helpers/service/cheap-passwords.ts';
import { openStores } from '../../../src/service/open-stores.ts';
import type { Stores } from '../../../src/service/open-stores.ts';
import type { BucketConfig } from '../../../src/storage/bucket/bucket-config.ts';
import { METADATA_FILE } from '../../../src/service/database/sqlite/sqlite-connection.ts';
import { openSqliteDatabase, type SqliteDatabase } from '../../../src/service/database/sqlite/sqlite-database.ts';
import { createService } from '../../../src/service/service.ts';
import type { Service } from '../../../src/service/service.ts';

/** Public address of the service under test. */
export const BASE = 'http://service.test';

/** Creates a folder that is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-service-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A clock that only moves when advanced. */
export class TestClock {
  #now = Date.parse('2026-03-01T10:00:00.000Z');

  now = (): number => this.#now;

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as JSON without a schema
  readonly body: any;
}

export interface TestDevice {
  readonly id: string;
  readonly key: string;
  readonly token: string;
}

/** A service with its own folder and one account, called without a socket. */
export class TestService {
  readonly directory: string;
  readonly clock: TestClock;
  readonly service: Service;
  readonly accountId: string;

  private constructor(directory: string, clock: TestClock, service: Service, accountId: string) {
    this.directory = directory;
    this.clock = clock;
    this.service = service;
    this.accountId = accountId;
  }

  static async open(
    directory?: string,
    clock = new TestClock(),
    log: Logger = pino({ level: 'silent' }),
    bucket?: BucketConfig,
    accountSettings: Partial<AccountSettings> = {},
  ): Promise<TestService> {
    const folder = directory ?? (await temporaryDirectory());
    const stores = await openStores(folder, { create: true, bucket });
    return TestService.over(stores, folder, clock, log, accountSettings);
  }

  /** Uses given stores. */
  static async over(
    stores: Stores,
    folder: string,
    clock: TestClock,
    log: Logger = pino({ level: 'silent' }),
    accountSettings: Partial<AccountSettings> = {},
  ): Promise<TestService> {
    const service = await createService({
      ...stores,
      clock,
      log,
      accounts: { passwordCost: CHEAP, ...accountSettings },
      publicUrl: BASE,
    });
    const { accounts } = stores.metadata;
    const account = (await accounts.firstAccount()) ?? (await accounts.createAccount(clock.now()));
    const opened = new TestService(folder, clock, service, account.id);
    onTestFinished(() => opened.close());
    return opened;
  }

  /** Opens the service's SQLite database directly. */
  openDatabase(): SqliteDatabase {
    const database = openSqliteDatabase(join(this.directory, METADATA_FILE));
    onTestFinished(() => database.close());
    return database;
  }

  #closed = false;
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.service.close();
  }

  async register(accountId = this.accountId): Promise<TestDevice> {
    const request = { name: 'Anna’s laptop', os: 'linux', agent_version: '1.0' };
    const { device, device_key: key } = await registerDevice(this.service.context, accountId, request);
    return { id: device.id, key, token: await this.tokenOf(device.id, accountId) };
  }

  tokenOf(deviceId: string, accountId = this.accountId): Promise<string> {
    return this.service.tokens.issue({ kind: 'device', sub: deviceId, account: accountId }, this.clock.now());
  }

  async call(method: string, path: string, token?: string, body?: unknown, headers = {}): Promise<Answer> {
    const request = new Request(path.startsWith('http') ? path : BASE + path, {
      method,
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined
        ? {}
        : { body: isRaw(body) ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body), duplex: 'half' }),
    });
    const response = await this.service.fetch(request);
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? (JSON.parse(bytes.toString('utf8')) as unknown) : bytes,
    };
  }

  post(path: string, token: string | undefined, body: unknown, headers = {}): Promise<Answer> {
    return this.call('POST', path, token, body, { 'content-type': 'application/json', ...headers });
  }

  /** Backs up: init, presign and PUT for every needed blob, complete. */
  async backUp(device: TestDevice, set: string, files: readonly TestFile[]): Promise<Answer> {
    const init = await this.init(device, set, files);
    if (init.status !== 200) return init;
    await this.upload(device, init, files);
    return this.complete(device, init.body.session_id as string);
  }

  /** Opens a session before its manifest. */
  openSession(device: TestDevice, set: string): Promise<Answer> {
    return this.post('/functions/v1/backup/open', device.token, { device_id: device.id, backup_set: set });
  }

  /** @param head further fields before the files */
  init(device: TestDevice, set: string, files: readonly TestFile[], head: object = {}): Promise<Answer> {
    const body = { device_id: device.id, backup_set: set, ...head, files: files.map(manifestEntry) };
    return this.post('/functions/v1/backup/init', device.token, body);
  }

  async upload(device: TestDevice, init: Answer, files: readonly TestFile[]): Promise<void> {
    const blobs = new Map(files.flatMap((file) => file.chunks.map((chunk) => [chunk.hash, chunk.blob])));
    for (const { hash } of init.body.chunks_needed as { hash: string }[]) {
      const put = await this.put(device, init.body.session_id as string, hash, blobs.get(hash)!);
      if (put.status !== 200) throw new Error(`PUT answered ${put.status}`);
    }
  }

  async put(device: TestDevice, sessionId: string, hash: string, blob: Uint8Array): Promise<Answer> {
    const body = { session_id: sessionId, chunk_hash: hash, chunk_size: blob.length };
    const presign = await this.post('/functions/v1/backup/presign', device.token, body);
    if (presign.status !== 200) return presign;
    return this.call('PUT', presign.body.upload_url as string, undefined, blob, presign.body.headers as object);
  }

  complete(device: TestDevice, sessionId: string): Promise<Answer> {
    return this.post('/functions/v1/backup/complete', device.token, { session_id: sessionId, stats: STATS });
  }

  manifest(device: TestDevice, set: string, options: Partial<ManifestOptions> = {}): Promise<Answer> {
    return this.post('/functions/v1/restore/manifest', device.token, {
      device_id: device.id,
      backup_set: set,
      point_in_time: '2100-01-01T00:00:00.000Z',
      path: '',
      recursive: true,
      ...options,
    });
  }
}

interface ManifestOptions {
  readonly device_id: string;
  readonly point_in_time: string;
  readonly path: string;
  readonly recursive: boolean;
  readonly reported: boolean;
}

export const STATS = {
  files_processed: 0,
  chunks_new: 2,
  chunks_deduped: 1,
  bytes_scanned: 300,
  bytes_uploaded: 200,
  duration_seconds: 4,
};

export interface TestChunk {
  readonly hash: string;
  readonly size: number;
  /** Bytes that a client would upload; opaque to the service. */
  readonly blob: Uint8Array;
}

export interface TestFile {
  readonly path: string;
  readonly modified: string;
  readonly chunks: readonly TestChunk[];
}

/** Creates a chunk of a text or a size, not encrypted, since the service never opens it. */
export function chunk(content: string | number): TestChunk {
  const plain = typeof content === 'number' ? randomBytes(content) : Buffer.from(content);
  const hash = `sha256:${createHash('sha256').update(plain).digest('hex')}`;
  return { hash, size: plain.length, blob: Buffer.concat([Buffer.alloc(12, 1), plain, Buffer.alloc(16, 2)]) };
}

/** A chunk of `size` bytes with a smaller blob. */
export function compressedChunk(content: string | number, size: number): TestChunk {
  return { ...chunk(content), size };
}

export function file(path: string, chunks: readonly (TestChunk | string)[], modified = '2026-01-02T03:04:05.678Z') {
  return { path, modified, chunks: chunks.map((one) => (typeof one === 'string' ? chunk(one) : one)) };
}

export function manifestEntry({ path, modified, chunks }: TestFile) {
  const size = chunks.reduce((sum, one) => sum + one.size, 0);
  return { path, size, modified, chunks: chunks.map((one) => ({ hash: one.hash, size: one.size })) };
}

/** An independent implementation of the signature. */
export function deviceSignature(key: string, deviceId: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac('sha256', key).update(`${seconds}.${deviceId}`).digest('hex')}`;
}

function isRaw(body: unknown): boolean {
  return typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
}
