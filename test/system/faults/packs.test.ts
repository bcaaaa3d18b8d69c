import { expect, onTestFinished, test } from 'vitest';
import { connectAsDevice } from '../../../src/remote/connection.ts';
import type { SignedInConnection } from '../../../src/remote/connection.ts';
import { backUp, beginBackup, connectTo, restoreAll, SAMPLE_STATS, sampleFile } from '../../unit/remote/connections.ts';
import { FaultProxy } from '../../helpers/fault-proxy/fault-proxy.ts';
import { startServer } from '../../../src/service/server.ts';
import { InProcessService } from '../../helpers/service/in-process-service.ts';
import { temporaryDirectory } from '../../unit/service/harness.ts';

/** Holdfast's own service behind a proxy with faults on demand, with a signed-in device. */
async function wired(): Promise<{ connection: SignedInConnection; deviceId: string; proxy: FaultProxy }> {
  const data = await temporaryDirectory();
  const service = await InProcessService.open(data, { create: true });
  const { deviceId, deviceKey } = await service.registerDevice({ name: 'laptop', os: 'linux', agent_version: '1.0' });
  await service.close();
  const server = await startServer({ data });
  const proxy = await FaultProxy.start(server.url);
  onTestFinished(async () => {
    proxy.close();
    await server.close();
  });
  const connection = connectAsDevice(connectTo(proxy.url), { deviceId, deviceKey });
  return { connection, deviceId, proxy };
}

const sample = (() => {
  const files = Array.from({ length: 300 }, (_, index) => sampleFile(`/home/anna/${index}`, [1000 + index * 50]));
  return { files: files.map(({ file }) => file), blobs: files.flatMap(({ blobs }) => blobs) };
})();

test('uploads and downloads packs over connections that break every few hundred kilobytes', async () => {
  const { connection, deviceId, proxy } = await wired();
  const { sessionId } = await beginBackup(connection, deviceId, sample.files);
  proxy.set('up', { resetAfter: 900_000 });
  for (let from = 0; from < 300; from += 50) {
    await connection.uploader.upload(sessionId, sample.blobs.slice(from, from + 50));
  }
  const broken = proxy.resets;
  expect(broken).toBeGreaterThan(0);
  proxy.heal();
  await connection.service.backupComplete(sessionId, SAMPLE_STATS);
  proxy.set('down', { resetAfter: 400_000 });
  const restored = await restoreAll(connection, deviceId);
  expect(proxy.resets).toBeGreaterThan(broken);
  expect(new Map([...restored].map(([hash, bytes]) => [hash, bytes && Buffer.from(bytes)]))).toEqual(
    new Map(sample.blobs.map(({ hash, bytes }) => [hash, Buffer.from(bytes)])),
  );
});

test('backs up over connections that break before a whole pack', async () => {
  const { connection, deviceId, proxy } = await wired();
  const { sessionId } = await beginBackup(connection, deviceId, sample.files);
  proxy.set('up', { resetAfter: 100_000 });
  await connection.uploader.upload(sessionId, sample.blobs);
  proxy.heal();
  await connection.service.backupComplete(sessionId, SAMPLE_STATS);
  expect((await restoreAll(connection, deviceId)).size).toBe(300);
});

test('rejects bits flipped on the wire', async () => {
  const { connection, deviceId, proxy } = await wired();
  await backUp(connection, deviceId, sample);
  // In the middle of a pack's blobs, after the manifest.
  const flip = (): void => proxy.set('down', { flipAt: 30_000 });
  const restored = await restoreAll(connection, deviceId, flip).catch((error: unknown) => error);
  // Lengths and digests of the index are checked here; the content of a blob is checked when it is opened.
  if (!(restored instanceof Map)) expect(restored).toMatchObject({ code: 'service_broken' });
  else expect(restored.size).toBe(300);
});
