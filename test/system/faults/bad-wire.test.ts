import { expect, onTestFinished, test } from 'vitest';
import type { HttpClient } from '../../../src/remote/http/http-client.ts';
import type { WaitingReason } from '../../../src/remote/http/retrier.ts';
import { UndiciHttp } from '../../../src/remote/http/undici-http.ts';
import { connectAsDevice } from '../../../src/remote/connection.ts';
import type { ConnectionOptions, SignedInConnection } from '../../../src/remote/connection.ts';
import { backUp, beginBackup, connectTo, restoreAll, sampleFile } from '../../unit/remote/connections.ts';
import { InstantClock } from '../../unit/remote/instant-clock.ts';
import { FaultProxy } from '../../helpers/fault-proxy/fault-proxy.ts';
import { startStrictService } from '../../helpers/strict-service/strict-service.ts';
import type { StrictService } from '../../helpers/strict-service/strict-service.ts';

interface Wired {
  readonly service: StrictService;
  readonly control: FaultProxy;
  readonly storage: FaultProxy;
  readonly connect: (options?: Partial<ConnectionOptions>) => SignedInConnection;
}

/** A strict service behind two proxies with faults on demand. */
async function wired(): Promise<Wired> {
  let storage: FaultProxy | undefined;
  const service = await startStrictService({
    wireMayBreak: true,
    storageBehind: async (url) => {
      storage = await FaultProxy.start(url);
      return storage.url;
    },
  });
  const control = await FaultProxy.start(service.baseUrl);
  onTestFinished(async () => {
    control.close();
    storage?.close();
    await service.close();
  });
  const { id: deviceId, key: deviceKey } = service.device;
  const connect = (options?: Partial<ConnectionOptions>): SignedInConnection =>
    connectAsDevice(connectTo(control.url, options), { deviceId, deviceKey });
  return { service, control, storage: storage!, connect };
}

const sample = (() => {
  const files = Array.from({ length: 30 }, (_, index) => sampleFile(`/home/anna/${index}`, [40_000 + index]));
  return { files: files.map(({ file }) => file), blobs: files.flatMap(({ blobs }) => blobs) };
})();
const expected = new Map(sample.blobs.map(({ hash, bytes }) => [hash, Buffer.from(bytes)]));

async function expectRestored(connection: SignedInConnection, service: StrictService): Promise<void> {
  const restored = await restoreAll(connection, service.device.id);
  expect(new Map([...restored].map(([hash, bytes]) => [hash, bytes && Buffer.from(bytes)]))).toEqual(expected);
}

test('uploads and downloads over connections that break every few blobs', async () => {
  const { service, storage, connect } = await wired();
  const connection = connect();
  storage.set('up', { resetAfter: 150_000 });
  await backUp(connection, service.device.id, sample);
  storage.heal();
  const resets = storage.resets;
  expect(resets).toBeGreaterThan(0);
  storage.set('down', { resetAfter: 150_000 });
  await expectRestored(connection, service);
  expect(storage.resets).toBeGreaterThan(resets);
  expect(service.departures).toEqual([]);
});

test('waits while offline, reports it and resumes', async () => {
  const { service, control, storage, connect } = await wired();
  const shown: (WaitingReason | undefined)[] = [];
  const clock = new InstantClock();
  const sleeping = { now: () => clock.now(), sleep: slept };
  async function slept(milliseconds: number, signal?: AbortSignal): Promise<void> {
    await clock.sleep(milliseconds, signal);
    if (clock.slept.length === 4) await Promise.all([control.listen(), storage.listen()]);
  }
  const connection = connect({ clock: sleeping, onWaiting: (reason) => shown.push(reason) });
  control.refuse();
  storage.refuse();

  await backUp(connection, service.device.id, sample);

  expect(shown).toEqual(['service_unreachable', undefined]);
  expect(service.departures).toEqual([]);
});

test('gives up after ten minutes offline', async () => {
  const { service, control, connect } = await wired();
  const clock = new InstantClock();
  control.refuse();
  await expect(backUp(connect({ clock }), service.device.id, sample)).rejects.toMatchObject({
    code: 'service_unreachable',
    retryable: true,
    details: { reason: 'refused' },
  });
  const minutes = clock.slept.reduce((sum, pause) => sum + pause, 0) / 60_000;
  expect(minutes).toBeGreaterThan(9);
  expect(minutes).toBeLessThanOrEqual(10);
});

test('sends an interrupted manifest again from the beginning', async () => {
  const { service, control, connect } = await wired();
  const connection = connect({ onWaiting: () => control.heal() });
  const files = Array.from({ length: 10_000 }, (_, index) => sampleFile(`/home/anna/${index}`, []).file);
  await connection.service.capabilities();
  control.set('up', { resetAfter: 300_000 });

  const { needed } = await beginBackup(connection, service.device.id, files);

  expect(needed).toEqual([]);
  expect(control.resets).toBeGreaterThan(0);
  expect(service.callsOf('backup/init')).toBe(2);
  expect(service.departures).toEqual([]);
});

test('detects a network that drops all packets', async () => {
  const { service, storage, connect } = await wired();
  const plain = new UndiciHttp();
  onTestFinished(() => plain.close());
  const impatient: HttpClient = {
    request: (request) => plain.request({ ...request, stallTimeoutMs: 300 }),
    close: () => plain.close(),
  };
  const connection = connect({ http: impatient, onWaiting: (reason) => reason && storage.heal() });
  storage.set('down', { blackHole: true });

  await backUp(connection, service.device.id, sample);

  await expectRestored(connection, service);
  expect(service.departures).toEqual([]);
});

test('succeeds over a slow network', async () => {
  const { service, control, storage, connect } = await wired();
  control.set('down', { latencyMs: 5 });
  storage.set('up', { bytesPerSecond: 20_000_000, latencyMs: 2 });
  const connection = connect();
  await backUp(connection, service.device.id, sample);
  await expectRestored(connection, service);
  expect(service.departures).toEqual([]);
});
