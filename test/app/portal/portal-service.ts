import { createAdaptorServer } from '@hono/node-server';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { pino } from 'pino';
import type { AccountSettings } from '../../../src/service/auth/account-settings.ts';
import { registerDevice } from '../../../src/service/devices/devices.ts';
import { CHEAP } from '../../helpers/service/cheap-passwords.ts';
import { ServiceMail } from '../../../src/service/mail/service-mail.ts';
import { createSmtpTransport } from '../../../src/service/mail/smtp.ts';
import { openStores } from '../../../src/service/open-stores.ts';
import { openPageIn } from '../../../src/service/portal-api/page.ts';
import type { PortalPage } from '../../../src/service/portal-api/page.ts';
import { setUpToken } from '../../../src/service/portal-api/set-up.ts';
import { createService } from '../../../src/service/service.ts';
import type { Service } from '../../../src/service/service.ts';

const DAY = 86_400_000;

/**
 * A port that services use one after the other. The page of each is at the same address then, so that a browser has its scripts
 * and what it compiled of them.
 */
class Door {
  service: Service | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Door> {
    const answer = (request: Request): Response | Promise<Response> =>
      door.service?.fetch(request) ?? new Response(null, { status: 503 });
    const server = createAdaptorServer({ fetch: answer }) as Server;
    const door = new Door(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    server.unref();
    return door;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends the connections to the service. */
  leave(): void {
    this.service = undefined;
    this.#server.closeAllConnections();
  }
}

/** Ports that no service uses. */
const doors: Door[] = [];
const pages = new Map<string, PortalPage>();

/** Reads a built page once, since compressing it takes longer than most tests of requests. */
function pageIn(folder: string): PortalPage {
  const page = pages.get(folder) ?? openPageIn(folder);
  pages.set(folder, page);
  return page;
}

/** A service with its page on a socket. Tests can advance its clock. */
export class PortalService {
  readonly url: string;
  /** Contains the metadata. */
  readonly directory: string;
  readonly service: Service;
  #offset = 0;
  readonly #end: () => Promise<void>;

  private constructor(url: string, service: Service, directory: string, end: () => Promise<void>) {
    this.url = url;
    this.directory = directory;
    this.service = service;
    this.#end = end;
  }

  /**
   * @param page the folder of the built page; without one only its requests are served
   * @param publicUrl the address of a proxy that a test simulates, or `localhost` for that name in place of an IP address
   * @param mailServer the address of a mail server, if the service sends mail
   */
  static async open(
    page = '',
    publicUrl?: string,
    accounts: Partial<AccountSettings> = {},
    mailServer?: string,
  ): Promise<PortalService> {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-portal-'));
    const stores = await openStores(directory, { create: true });
    const clock = { now: () => Date.now() + portal.#offset };
    const log = pino({ level: 'silent' });
    const from = 'backup@example.org';
    const mail = mailServer && {
      mail: new ServiceMail({
        transport: createSmtpTransport({ server: mailServer, from }),
        publicUrl: 'https://service.test',
        log,
      }),
    };
    const door = doors.pop() ?? (await Door.open());
    const own = `http://${publicUrl === 'localhost' ? publicUrl : '127.0.0.1'}:${door.port}`;
    const service = await createService({
      ...stores,
      clock,
      log,
      page: pageIn(page),
      accounts: { passwordCost: CHEAP, resetDelay: 0, ...accounts },
      ...mail,
      ...(publicUrl === undefined ? {} : { publicUrl: publicUrl === 'localhost' ? own : publicUrl }),
    });
    door.service = service;
    const portal: PortalService = new PortalService(own, service, directory, async () => {
      door.leave();
      doors.push(door);
      await service.close();
      await rm(directory, { recursive: true, force: true });
    });
    return portal;
  }

  close(): Promise<void> {
    return this.#end();
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  /** Runs `work` some days ago, so that the sign-in of today remains valid. */
  async daysAgo(days: number, work: () => Promise<void>): Promise<void> {
    this.advance(-days * DAY);
    await work();
    this.advance(days * DAY);
  }

  setUpToken(): Promise<string | undefined> {
    return setUpToken(this.service.context);
  }

  /** Returns the code of an authenticator app. It advances the clock, since each code is valid once. */
  code(secret: string): string {
    this.advance(30_000);
    const now = this.service.context.clock.now();
    return new TOTP({ secret: Secret.fromBase32(secret.replace(/\s/g, '')) }).generate({ timestamp: now });
  }

  async accountId(): Promise<string> {
    const account = await this.service.context.metadata.accounts.firstAccount();
    return account!.id;
  }

  async addDevice(name: string, os: string): Promise<string> {
    const { members } = this.service.context.metadata;
    const [owner] = await members.list(await this.accountId());
    const request = { name, os, agent_version: '1.4.0' };
    const { device } = await registerDevice(this.service.context, await this.accountId(), request, owner!.id);
    return device.id;
  }

  /** Begins a backup of files with this content. Returns its session. */
  async begin(deviceId: string, set: string, files: Readonly<Record<string, Buffer>>): Promise<string> {
    const { session_id: session } = await this.#init(await this.#deviceToken(deviceId), deviceId, set, files);
    return session as string;
  }

  async abort(deviceId: string, session: string): Promise<void> {
    await this.#post('backup/abort', await this.#deviceToken(deviceId), { session_id: session });
  }

  /** Backs up files with this content. Unchanged content is not sent again. */
  async backUp(deviceId: string, set: string, files: Readonly<Record<string, Buffer>>): Promise<void> {
    const token = await this.#deviceToken(deviceId);
    const chunks = new Map(Object.values(files).map((bytes) => [hashOf(bytes), bytes]));
    const init = await this.#init(token, deviceId, set, files);
    // An agent counts what it backs up, without the entries that it adds for itself.
    const own = Object.keys(files).filter((path) => !path.startsWith('/.holdfast/'));
    for (const { hash } of init.chunks_needed as { hash: string }[]) {
      const blob = Buffer.concat([Buffer.alloc(12), chunks.get(hash)!, Buffer.alloc(16)]);
      const presigned = await this.#post('backup/presign', token, {
        session_id: init.session_id,
        chunk_hash: hash,
        chunk_size: blob.length,
      });
      const { upload_url: url, headers } = presigned;
      const put = await this.service.fetch(new Request(url, { method: 'PUT', headers, body: blob }));
      if (put.status !== 200) throw new Error(`PUT answered ${put.status}`);
    }
    const stats = {
      files_processed: own.length,
      chunks_new: init.chunks_needed.length,
      chunks_deduped: init.chunks_deduped,
      bytes_scanned: own.reduce((sum, path) => sum + files[path]!.length, 0),
      bytes_uploaded: 0,
      duration_seconds: 1,
    };
    await this.#post('backup/complete', token, { session_id: init.session_id, stats });
  }

  /** Adds three devices, one of them not seen recently, and weeks of backups. */
  async fill(): Promise<void> {
    const laptop = await this.addDevice('Anna’s laptop', 'Debian 12');
    const desk = await this.addDevice('Reception', 'Windows 11');
    const old = await this.addDevice('Old laptop with quite a long name', 'macOS 15');
    const files: Record<string, Buffer> = { '/a': randomBytes(300_000), '/b': randomBytes(120_000) };
    this.advance(-40 * DAY);
    await this.backUp(old, 'Everything', { '/x': randomBytes(90_000) });
    for (let day = 40; day > 0; day -= 2) {
      files[`/day-${day}`] = randomBytes(4_000 + ((day * 7_919) % 50_000));
      await this.backUp(laptop, 'Documents', files);
      if (day % 6 === 0) await this.backUp(desk, 'Accounts', { '/ledger': randomBytes(20_000 + day * 900) });
      this.advance(2 * DAY);
    }
    await this.backUp(laptop, 'Documents', files);
    await this.backUp(desk, 'Accounts', { '/ledger': randomBytes(20_000) });
  }

  async #deviceToken(deviceId: string): Promise<string> {
    const now = this.service.context.clock.now();
    return this.service.tokens.issue({ kind: 'device', sub: deviceId, account: await this.accountId() }, now);
  }

  #init(token: string, deviceId: string, set: string, files: Readonly<Record<string, Buffer>>) {
    const entries = Object.entries(files).map(([path, bytes]) => ({
      path,
      size: bytes.length,
      modified: '2026-01-02T03:04:05.678Z',
      chunks: [{ hash: hashOf(bytes), size: bytes.length }],
    }));
    return this.#post('backup/init', token, { device_id: deviceId, backup_set: set, files: entries });
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as JSON without a schema
  async #post(path: string, token: string, body: unknown): Promise<any> {
    const response = await this.service.fetch(
      new Request(`${this.url}/functions/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

function hashOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
