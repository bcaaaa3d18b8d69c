import { createAdaptorServer } from '@hono/node-server';
import type { HttpBindings } from '@hono/node-server';
import { access, constants, statfs } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { Logger } from 'pino';
import type { AccountSettings } from './auth/account-settings.ts';
import type { ServiceClock } from './service-clock.ts';
import { openStores } from './open-stores.ts';
import type { Stores } from './open-stores.ts';
import type { BlobKey } from './objects/object-store.ts';
import type { BucketConfig } from '../storage/bucket/bucket-config.ts';
import type { AddressRange } from './request/client-address.ts';
import type { MailLanguage } from './mail/mail-texts.ts';
import { ServiceMail, type ServiceMailOptions } from './mail/service-mail.ts';
import type { SmtpConfig } from './mail/smtp.ts';
import { OperatedService } from './operation/operated-service.ts';
import { DEFAULT_LIMITS } from './operation/rate-limit.ts';
import type { RateLimits } from './operation/rate-limit.ts';
import { ReadinessCheck } from './operation/readiness.ts';
import type { ReadinessProbe } from './operation/readiness.ts';
import { latestFigures } from './operation/latest-figures.ts';
import type { RequestTraces } from './operation/request-traces.ts';
import { ServiceMetrics } from './operation/service-metrics.ts';
import { openPage } from './portal-api/page.ts';
import { setUpToken } from './portal-api/set-up.ts';
import { createService } from './service.ts';
import { OBJECTS_FOLDER } from './objects/folder/folder-object-store.ts';
import { CopyState } from './operation/copy/copy-state.ts';
import { failureFacts } from './failure-facts.ts';
import { createWebhookDelivery } from './webhooks/webhook-delivery.ts';
import { MINUTE } from '../model/units.ts';

/** Idle connections close after this many milliseconds. */
const IDLE_CONNECTION = 5 * MINUTE;

/** Milliseconds between looks for a take-over by the command line, while a copy is muted. */
const LOOKS_EVERY = 3_000;

/** Time that a closing server waits for running requests, in seconds. */
const CLOSING_GRACE = 30;

export interface ServerOptions {
  /** The folder of the store; created if missing. */
  readonly data: string;
  readonly host?: string;
  /** 0 selects a free one. */
  readonly port?: number;
  /** Public address of the service, if it differs from the address of requests (behind a proxy). */
  readonly publicUrl?: string;
  /** `postgres://…`, where the metadata is not in the folder. */
  readonly database?: string;
  /** Location of blobs, if not in the folder. */
  readonly bucket?: BucketConfig;
  /** Also deliver webhooks to private addresses. */
  readonly allowPrivateWebhooks?: boolean;
  readonly accounts?: Partial<AccountSettings>;
  /** The mail server, if the service sends mail; it takes a public address. */
  readonly mail?: SmtpConfig & { readonly language?: MailLanguage };
  readonly limits?: RateLimits;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly AddressRange[];
  /** Token for `/metrics`; without one, only this computer may read it. */
  readonly metricsToken?: string;
  /** The OTLP address of an OpenTelemetry collector, such as `http://localhost:4318/v1/traces`. */
  readonly tracesUrl?: string;
  /** Time that closing waits for running requests, in seconds. */
  readonly closingSeconds?: number;
  readonly clock?: ServiceClock;
  readonly log?: Logger;
}

export interface RunningServer {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  /** Address for setting up a service without an account, including its token. */
  readonly setUpUrl: string | undefined;
  /** Accepts no new connections, waits for running requests, then stops. */
  close(): Promise<void>;
}

/** Runs the service on a socket. Throws `StoreError`, or the system's error if the address is in use. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const log = options.log ?? pino({ level: 'silent' });
  const clock = options.clock ?? { now: () => Date.now() };
  let wakeWebhooks = (): void => undefined;
  const { database, bucket } = options;
  const stores = await openStores(options.data, { create: true, database, bucket, onEvents: () => wakeWebhooks() });
  const metrics = new ServiceMetrics();
  const copyState = await CopyState.open(stores.metadata, options.data).catch(async (error: unknown) => {
    metrics.stop();
    await stores.objects.close();
    await stores.metadata.close();
    throw error;
  });
  metrics.setMuted(copyState.isMuted);
  const publicUrl = options.publicUrl?.replace(/\/+$/, '');
  const mail = await openMail(options, publicUrl, { log, isMuted: () => copyState.isMuted });
  const service = await createService({
    ...stores,
    log,
    clock,
    page: openPage(),
    ...(mail === undefined ? {} : { mail }),
    copyState,
    metrics,
    ...(options.accounts === undefined ? {} : { accounts: options.accounts }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
  });
  const webhooks = createWebhookDelivery({
    outbox: stores.metadata.outbox,
    allowPrivate: options.allowPrivateWebhooks ?? false,
    clock: { now: () => clock.now(), sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }) },
    log,
  });
  wakeWebhooks = () => webhooks.wake();
  const traces = await openTraces(options.tracesUrl, log);
  const operated = new OperatedService({
    ...(traces ? { traces } : {}),
    fetch: (request) => service.fetch(request),
    limits: options.limits ?? DEFAULT_LIMITS,
    trustedProxies: options.trustedProxies ?? [],
    ...(options.metricsToken === undefined ? {} : { metricsToken: options.metricsToken }),
    readiness: new ReadinessCheck(probesOf(stores, options), () => clock.now(), log),
    metrics,
    figures: latestFigures(stores.metadata.figures, clock, log),
    freeBytes: () => freeBytes(options.data),
    now: () => clock.now(),
    log,
  });
  const server = createAdaptorServer({
    // For requests without a Host header, such as the HTTP/1.0 health checks of HAProxy.
    hostname: 'localhost',
    // The adapter's type includes HTTP/2, which this server does not use.
    fetch: (request, bindings) => operated.fetch(request, bindings as HttpBindings),
  }) as Server;
  const stopped = new AbortController();
  const closeParts = async (): Promise<void> => {
    stopped.abort();
    await webhooks.stop();
    await service.close();
    await traces?.stop();
    metrics.stop();
  };
  const end = async (): Promise<void> => {
    log.info('the service is closing');
    // Balancers ask for as long as requests run, and read 503.
    const until = performance.now() + (options.closingSeconds ?? CLOSING_GRACE) * 1000;
    await within(until, operated.close());
    await stopListening(server, until);
    await closeParts();
    log.info('the service has closed');
  };
  try {
    const url = await listen(server, options.host ?? '127.0.0.1', options.port ?? 0);
    const unmuted = (): void => {
      metrics.setMuted(false);
      webhooks.start();
      service.keepHouse();
    };
    if (copyState.isMuted) {
      log.warn(MUTED);
      service.keepHouse();
      void waitForTakeOver(copyState, log, stopped.signal).then(unmuted, () => undefined);
    } else unmuted();
    log.info(
      { database: database ? 'postgres' : 'sqlite', objects: bucket ? 'bucket' : 'folder' },
      'the service is ready',
    );
    let closing: Promise<void> | undefined;
    const token = await setUpToken(service.context);
    const setUpUrl = token === undefined ? undefined : `${publicUrl ?? url}/#/set-up?token=${token}`;
    return { url, setUpUrl, close: () => (closing ??= end()) };
  } catch (error) {
    await closeParts();
    throw error;
  }
}

/** Loaded on demand: most services send no traces. */
async function openTraces(url: string | undefined, log: Logger): Promise<RequestTraces | undefined> {
  if (url === undefined) return undefined;
  const { RequestTraces: Traces } = await import('./operation/request-traces.ts');
  return new Traces(url, log);
}

/** Loaded on demand: most services send no mail. */
async function openMail(
  { mail }: ServerOptions,
  publicUrl: string | undefined,
  parts: Pick<ServiceMailOptions, 'log' | 'isMuted'>,
): Promise<ServiceMail | undefined> {
  if (mail === undefined || publicUrl === undefined) return undefined;
  const { createSmtpTransport } = await import('./mail/smtp.ts');
  const { language } = mail;
  const transport = createSmtpTransport(mail);
  return new ServiceMail({ transport, publicUrl, ...parts, ...(language === undefined ? {} : { language }) });
}

const MUTED =
  'this is a copy of a service: it sends no webhooks and no mail, reports no devices as offline and deletes no blobs until "holdfast service take-over"';

/** Resolves when somebody has taken over; rejects when the service stops. */
async function waitForTakeOver(copyState: CopyState, log: Logger, signal: AbortSignal): Promise<void> {
  while (copyState.isMuted) {
    await sleep(LOOKS_EVERY, undefined, { signal, ref: false });
    await copyState.refresh().catch((error: unknown) => {
      log.error({ failure: failureFacts(error) }, 'whether somebody has taken over cannot be read');
    });
  }
  signal.throwIfAborted();
  log.warn('this copy is the service now');
}

/** Nobody's blob. */
const NO_BLOB: BlobKey = { accountId: 'acc_nobody', chunkId: 0, digest: '0'.repeat(64), size: 1 };

function probesOf({ metadata, objects }: Stores, { data, bucket }: ServerOptions): readonly ReadinessProbe[] {
  const folder = join(data, OBJECTS_FOLDER);
  return [
    { part: 'database', check: async () => void (await metadata.accounts.firstAccount()) },
    {
      part: 'objects',
      // The folder of a missing disk would look empty.
      check: bucket
        ? async () => void (await objects.get([NO_BLOB]))
        : () => access(folder, constants.R_OK | constants.W_OK | constants.X_OK),
    },
  ];
}

async function freeBytes(folder: string): Promise<number | undefined> {
  const found = await statfs(folder).catch(() => undefined);
  return found && found.bavail * found.bsize;
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  // A manifest or blob takes as long as the client's connection needs; idle connections are closed.
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

/** Waits for `work` until that time of `performance.now()`. */
async function within(until: number, work: Promise<void>): Promise<void> {
  const finished = new AbortController();
  const late = sleep(Math.max(0, until - performance.now()), undefined, { signal: finished.signal });
  await Promise.race([work, late.catch(() => undefined)]);
  finished.abort();
}

async function stopListening(server: Server, until: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const grace = setTimeout(() => server.closeAllConnections(), Math.max(0, until - performance.now()));
  await closed;
  clearTimeout(grace);
}
