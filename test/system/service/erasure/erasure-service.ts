import BetterSqlite from 'better-sqlite3';
import { join } from 'node:path';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { registerDevice } from '../../../../src/service/devices/devices.ts';
import { newIdentifier } from '../../../../src/service/identifier.ts';
import { openStores } from '../../../../src/service/open-stores.ts';
import { putBlobs } from '../../../../src/service/backup/put-blobs.ts';
import { newRefreshToken } from '../../../../src/service/auth/tokens/refresh.ts';
import type { Stores } from '../../../../src/service/open-stores.ts';
import { postgresDatabase } from '../../../helpers/postgres/postgres.ts';
import { HAS_S3, newBucket } from '../../../helpers/s3/s3-server.ts';
import { file, temporaryDirectory, TestClock, TestService } from '../../../unit/service/harness.ts';
import type { Answer, TestDevice, TestFile } from '../../../unit/service/harness.ts';

export const DAY = 24 * 3_600_000;
/** An IP address that no other data contains. */
export const ADDRESS = '203.0.113.77';

/** The one of a member. */
export const MEMBER_ADDRESS = '198.51.100.23';

export interface Opened {
  readonly stores: Stores;
  readonly folder: string;
  readonly database?: string;
}

export const STORES: readonly (readonly [name: string, open: () => Promise<Opened>])[] = [
  [
    'SQLite and a folder',
    async () => {
      const folder = await temporaryDirectory();
      return { stores: await openStores(folder, { create: true }), folder };
    },
  ],
  [
    'PostgreSQL and a folder',
    async () => {
      const [folder, database] = [await temporaryDirectory(), await postgresDatabase()];
      return { stores: await openStores(folder, { create: true, database }), folder, database };
    },
  ],
  ...(HAS_S3
    ? ([
        [
          'PostgreSQL and a bucket',
          async () => {
            const [folder, database] = [await temporaryDirectory(), await postgresDatabase()];
            const bucket = await newBucket('some/prefix/');
            return { stores: await openStores(folder, { create: true, database, bucket }), folder, database };
          },
        ],
      ] as const)
    : []),
];

/** A person with a sign-in whose second factor was proved just now. */
export interface SignedIn {
  readonly id: string;
  readonly token: string;
}

/** An account with its owner, over given stores. Days may pass. */
export class ErasureService {
  readonly service: TestService;
  readonly owner: SignedIn;
  readonly accountId: string;
  readonly #opened: Opened;

  private constructor(service: TestService, owner: SignedIn, accountId: string, opened: Opened) {
    this.service = service;
    this.owner = owner;
    this.accountId = accountId;
    this.#opened = opened;
  }

  static async open(open = STORES[0]![1], email = 'anna-planted@example.org'): Promise<ErasureService> {
    const opened = await open();
    const clock = new TestClock();
    const { metadata } = opened.stores;
    const user = await metadata.members.createAccount({ email, passwordHash: 'hash', now: clock.now() });
    const service = await TestService.over(opened.stores, opened.folder, clock);
    service.service.keepHouse();
    const owner = { id: user!.id, token: '' };
    return new ErasureService(service, owner, user!.accountId, opened);
  }

  get context() {
    return this.service.service.context;
  }

  now(): number {
    return this.service.clock.now();
  }

  /** Returns the access token of a new sign-in. */
  async tokenOf(userId: string, address = ADDRESS): Promise<string> {
    const { metadata } = this.context;
    const [family, now] = [newIdentifier('fam'), this.now()];
    const user = await metadata.accounts.user(userId);
    await metadata.tokens.startFamily({ id: family, userId }, newRefreshToken(now).stored, now, {
      client: { userAgent: 'Planted-Agent/1', address },
      audit: {
        accountId: user!.accountId,
        userId,
        occurredAt: now,
        kind: 'sign_in.succeeded',
        address,
      },
    });
    return this.service.service.tokens.issue({ kind: 'user', sub: userId, account: user!.accountId, family }, now);
  }

  async join(email: string, role: 'admin' | 'member' | 'auditor' | 'owner'): Promise<string> {
    const { members } = this.context.metadata;
    const [now, id] = [this.now(), newIdentifier('inv')];
    const { accountId } = this;
    await members.invite({ id, accountId, email, role, expiresAt: now + DAY }, id, {
      accountId,
      occurredAt: now,
      kind: 'member.invited',
    });
    return (await members.accept(id, { email, passwordHash: 'hash', now }))!.id;
  }

  async addDevice(name: string, by?: string): Promise<TestDevice> {
    const request = { name, os: 'Planted-OS', agent_version: '1.0' };
    const { device, device_key: key } = await registerDevice(this.context, this.accountId, request, by);
    return { id: device.id, key, token: await this.service.tokenOf(device.id, this.accountId) };
  }

  /** Backs up without presigned URLs, since a bucket's expire in real time. */
  async backUp(device: TestDevice, set: string, files: readonly TestFile[]): Promise<Answer> {
    const session = await this.begin(device, set, files);
    return this.service.complete(await this.#signedIn(device), session);
  }

  /** Starts a session and uploads everything that it needs. */
  async begin(device: TestDevice, set: string, files: readonly TestFile[]): Promise<string> {
    const init = await this.init(device, set, files);
    if (init.status !== 200) throw new Error(`init answered ${init.status}`);
    const byHash = new Map(files.flatMap(({ chunks }) => chunks.map((one) => [one.hash, one] as const)));
    const blobs = (init.body.chunks_needed as { hash: string }[]).map(({ hash }) => {
      const { blob: bytes, size } = byHash.get(hash)!;
      return { hash, bytes, size };
    });
    const session = await this.context.metadata.sessions.find(init.body.session_id as string);
    await putBlobs(this.context, session!, blobs);
    return session!.id;
  }

  async init(device: TestDevice, set: string, files: readonly TestFile[] = [file('/a', ['a'])]): Promise<Answer> {
    return this.service.init(await this.#signedIn(device), set, files);
  }

  /** @param path everything by default */
  async manifest(device: TestDevice, set: string, path = ''): Promise<Answer> {
    return this.service.manifest(await this.#signedIn(device), set, { path });
  }

  async complete(device: TestDevice, session: string): Promise<Answer> {
    return this.service.complete(await this.#signedIn(device), session);
  }

  async progress(device: TestDevice, session: string): Promise<Answer> {
    const { token } = await this.#signedIn(device);
    const figures = { chunks_uploaded: 0, chunks_total: 1, bytes_uploaded: 0 };
    return this.service.post('/functions/v1/backup/progress', token, { session_id: session, ...figures });
  }

  /** Requests an address for packs. */
  async packOf(device: TestDevice, session: string): Promise<Answer> {
    const { token } = await this.#signedIn(device);
    return this.service.post('/functions/v1/backup/pack', token, { session_id: session });
  }

  async #signedIn(device: TestDevice): Promise<TestDevice> {
    return { ...device, token: await this.service.tokenOf(device.id, this.accountId) };
  }

  async request(body: object, by = this.owner.id): Promise<Answer> {
    return this.service.post('/auth/v1/erasures', await this.tokenOf(by), body);
  }

  async cancel(id: string, by = this.owner.id): Promise<Answer> {
    return this.service.call('DELETE', `/auth/v1/erasures/${id}`, await this.tokenOf(by));
  }

  async list(): Promise<Answer> {
    return this.service.call('GET', '/auth/v1/erasures', await this.tokenOf(this.owner.id));
  }

  async pass(milliseconds: number): Promise<void> {
    this.service.clock.advance(milliseconds);
    await this.service.service.tidy();
  }

  /** Passes the days that the collection of chunks takes. */
  async collect(): Promise<void> {
    for (const days of [0, 1, 1, 1]) await this.pass(days * DAY);
  }

  async used(): Promise<number> {
    return (await this.context.metadata.accounts.findAccount(this.accountId))!.storageUsed;
  }

  /** Returns the names of the tables that contain one of these strings, with it. */
  async occurrences(planted: readonly string[]): Promise<readonly string[]> {
    const tables = await (this.#opened.database === undefined ? this.#sqliteRows() : this.#postgresRows());
    return Object.entries(tables).flatMap(([table, rows]) => {
      const text = rows
        .flatMap((row) => Object.values(row as object).map(textOf))
        .join('\n')
        .toLowerCase();
      return planted.filter((one) => text.includes(one.toLowerCase())).map((one) => `${table}: ${one}`);
    });
  }

  async rows(table: string): Promise<number> {
    const tables = await (this.#opened.database === undefined ? this.#sqliteRows() : this.#postgresRows());
    return tables[table]!.length;
  }

  async #sqliteRows(): Promise<Readonly<Record<string, readonly unknown[]>>> {
    const database = new BetterSqlite(join(this.#opened.folder, 'metadata.sqlite'), { readonly: true });
    onTestFinished(() => void database.close());
    const names = database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    return Object.fromEntries(names.map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]));
  }

  async #postgresRows(): Promise<Readonly<Record<string, readonly unknown[]>>> {
    const client = new Client({ connectionString: this.#opened.database! });
    await client.connect();
    try {
      const { rows } = await client.query<{ name: string }>(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
      );
      const tables: Record<string, readonly unknown[]> = {};
      for (const { name } of rows) tables[name] = (await client.query(`SELECT * FROM "${name}"`)).rows;
      return tables;
    } finally {
      await client.end();
    }
  }
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}
