import { createAdaptorServer } from '@hono/node-server';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { Logger } from 'pino';
import type { ServiceClock } from './context.ts';
import { openStores } from './open-stores.ts';
import { createService } from './service.ts';
import { METADATA_FILE } from './store/sqlite/database.ts';
import { openWebhookDelivery } from './webhooks/webhook-delivery.ts';

/** A connection on which nothing moves is ended after so many milliseconds. */
const IDLE_CONNECTION = 5 * 60_000;

/** How long a closing server waits for requests that run. */
const CLOSING_GRACE = 30_000;

export interface ServerOptions {
  /** The folder of the store; made where there is none. */
  readonly data: string;
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port?: number;
  /** Where clients reach the service, where that is not the address that they name themselves (behind a proxy). */
  readonly publicUrl?: string;
  /** Deliver webhooks to addresses of private networks too. */
  readonly allowPrivateWebhooks?: boolean;
  readonly clock?: ServiceClock;
  readonly log?: Logger;
}

export interface RunningServer {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  /** Takes no new connections, lets what runs finish, then ends. */
  close(): Promise<void>;
}

/** Runs the service on a socket. Throws `StoreError`, or the system's error where the address is not free. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const log = options.log ?? pino({ level: 'silent' });
  const clock = options.clock ?? { now: () => Date.now() };
  let wakeWebhooks = (): void => undefined;
  const stores = await openStores(options.data, { create: true, onEvents: () => wakeWebhooks() });
  const publicUrl = options.publicUrl?.replace(/\/+$/, '');
  const service = await createService({ ...stores, log, clock, ...(publicUrl === undefined ? {} : { publicUrl }) });
  const webhooks = openWebhookDelivery({
    file: join(options.data, METADATA_FILE),
    allowPrivate: options.allowPrivateWebhooks ?? false,
    clock: { now: () => clock.now(), sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }) },
    log,
  });
  wakeWebhooks = () => webhooks.wake();
  const server = createAdaptorServer({ fetch: (request) => service.fetch(request) }) as Server;
  const end = async (): Promise<void> => {
    await stopListening(server);
    await webhooks.stop();
    await service.close();
  };
  try {
    const url = await listen(server, options.host ?? '127.0.0.1', options.port ?? 0);
    webhooks.start();
    service.keepHouse();
    let closing: Promise<void> | undefined;
    return { url, close: () => (closing ??= end()) };
  } catch (error) {
    await webhooks.stop();
    await service.close();
    throw error;
  }
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  // A manifest or a blob takes as long as the client's line needs; what does not move at all is cut off.
  server.requestTimeout = 0;
  server.setTimeout(IDLE_CONNECTION);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}

async function stopListening(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const grace = setTimeout(() => server.closeAllConnections(), CLOSING_GRACE);
  await closed;
  clearTimeout(grace);
}
