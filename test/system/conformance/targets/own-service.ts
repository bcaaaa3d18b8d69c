import { createAdaptorServer } from '@hono/node-server';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createAccount } from '../../../../src/service/accounts.ts';
import { hashPassword } from '../../../../src/service/auth/passwords/password.ts';
import { openStores } from '../../../../src/service/open-stores.ts';
import { startServer } from '../../../../src/service/server.ts';
import { createService } from '../../../../src/service/service.ts';
import { postgresDatabase } from '../../../helpers/postgres/postgres.ts';
import { newBucket } from '../../../helpers/s3/s3-server.ts';
import { Undecided } from '../clause.ts';
import { good } from '../exchange.ts';
import { fieldsOf } from '../fields.ts';
import { addServiceWebhook } from '../../../../src/service/administration/service-webhooks.ts';
import { Subject } from '../subject.ts';
import type { SubjectOptions } from '../subject.ts';
import { WebhookReceiver } from '../webhook-receiver.ts';
import { MovableClock } from './target.ts';
import type { Target } from './target.ts';
import { CHEAP } from '../../../helpers/service/cheap-passwords.ts';

const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery staple';
const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** Most seconds that the clock may be ahead of the bucket's, which cannot be advanced. */
const BUCKET_PATIENCE = 120;

/** Holdfast's own service on SQLite and a folder, started as by people. */
export async function startOnFolder(): Promise<Target> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-conformance-'));
  const clock = new MovableClock();
  const { totp_secret: totpSecret } = await createAccount(
    data,
    { email: EMAIL, password: PASSWORD },
    { passwordCost: CHEAP },
  );
  const server = await startServer({ data, clock, accounts: { passwordCost: CHEAP }, allowPrivateWebhooks: true });
  const receiver = await hookedReceiver(data);
  return target({ url: server.url, receiver }, totpSecret, clock, clock.elapse, async () => {
    receiver.close();
    await server.close();
    await rm(data, { recursive: true, force: true });
  });
}

/** On PostgreSQL and a bucket that clients access directly. */
export async function startOnPostgresAndBucket(): Promise<Target> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-conformance-'));
  const clock = new MovableClock();
  const stores = await openStores(data, {
    create: true,
    database: await postgresDatabase(),
    bucket: await newBucket(),
  });
  const passwordHash = await hashPassword(PASSWORD, CHEAP);
  const owner = { email: EMAIL, passwordHash, totpSecret: TOTP_SECRET, now: clock.now() };
  await stores.metadata.accounts.createOwner(owner);
  const service = await createService({ ...stores, clock, log: pino({ level: 'silent' }) });
  const server = createAdaptorServer({ fetch: (request) => service.fetch(request) }) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const elapse = async (seconds: number): Promise<void> => {
    if (seconds > BUCKET_PATIENCE) throw new Undecided('the clock of the bucket cannot be moved');
    await clock.elapse(seconds);
  };
  return target({ url }, TOTP_SECRET, clock, elapse, async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    await service.close();
    await rm(data, { recursive: true, force: true });
  });
}

/** A receiver with a webhook for it, set up as by an operator. */
async function hookedReceiver(data: string): Promise<WebhookReceiver> {
  const { port, release } = await reservedPort();
  const url = `http://127.0.0.1:${port}/`;
  const { signing_secret: secret } = await addServiceWebhook({ data, email: EMAIL }, { url, events: [] });
  await release();
  return WebhookReceiver.listen(port, secret, '127.0.0.1');
}

/** Holds a free port, until the receiver takes it. */
async function reservedPort(): Promise<{ readonly port: number; readonly release: () => Promise<void> }> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  return {
    port,
    release: async () => {
      holder.close();
      await once(holder, 'close');
    },
  };
}

async function target(
  at: Pick<SubjectOptions, 'url' | 'receiver'>,
  totpSecret: string,
  clock: MovableClock,
  elapse: MovableClock['elapse'],
  close: () => Promise<void>,
): Promise<Target> {
  const user = { email: EMAIL, password: PASSWORD, totpSecret };
  const options = { ...at, user, now: clock.now, elapse, longestWait: 0 };
  const device = await registerDevice(new Subject(options));
  // The registration has used up this code.
  await clock.elapse(60);
  return { options: { ...options, device }, close };
}

async function registerDevice(subject: Subject): Promise<{ readonly id: string; readonly key: string }> {
  const body = { name: 'laptop', os: 'linux', agent_version: '1' };
  const answer = await subject.post('/functions/v1/devices', body, await subject.userToken());
  const fields = { device: 'object', device_key: 'text' } as const;
  const { device, device_key: key } = fieldsOf('registration', good('registration', answer).json, fields);
  return { id: fieldsOf('the device', device, { id: 'text' }).id, key };
}
