import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEmbeddedService } from '../../src/service/embedded/embedded.ts';
import type { EmbeddedService } from '../../src/service/embedded/embedded.ts';
import { openThreadedService } from '../../src/service/embedded/threaded-service.ts';
import { chunk, file, manifestEntry, STATS, temporaryDirectory } from './harness.ts';

async function client(service: EmbeddedService) {
  const { deviceId, deviceKey } = await service.registerDevice({ name: 'laptop', os: 'linux', agent_version: '1' });
  const token = await service.deviceToken(deviceId);
  const post = async (path: string, body: object) => {
    const request = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) };
    const answer = await service.fetch(new Request(`http://holdfast.embedded${path}`, request));
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as JSON without a schema
    return { status: answer.status, body: (await answer.json()) as any };
  };
  return { deviceId, deviceKey, token, post };
}

// The same service in this thread and behind messages must behave identically.
describe.each([
  ['in this thread', openEmbeddedService],
  ['in a thread of its own', openThreadedService],
] as const)('the embedded service %s', (_where, openService) => {
  async function open(directory?: string): Promise<EmbeddedService> {
    const service = await openService(directory ?? (await temporaryDirectory()), { create: true });
    onTestFinished(() => service.close());
    return service;
  }

  describe('blobs without HTTP', () => {
    test('are stored, counted and returned', async () => {
      const service = await open();
      const { deviceId, post } = await client(service);
      const chunks = [chunk('one'), chunk(9_000), chunk(131_044), chunk(131_045), chunk(2_000_000)];
      const files = [manifestEntry(file('/a', chunks))];
      const init = await post('/functions/v1/backup/init', { device_id: deviceId, backup_set: 'docs', files });
      const session = init.body.session_id as string;
      const blobs = chunks.map(({ hash, size, blob }) => ({ hash, bytes: blob, size }));
      await Promise.all([service.putBlobs(session, blobs), service.putBlobs(session, blobs.toReversed())]);
      await service.putBlobs(session, blobs);
      const run = await post('/functions/v1/backup/complete', { session_id: session, stats: STATS });
      expect(run.status).toBe(200);
      expect(run.body.storage_used_bytes).toBe(chunks.reduce((sum, { blob }) => sum + blob.length, 0));
      const manifest = await post('/functions/v1/restore/manifest', {
        device_id: deviceId,
        backup_set: 'docs',
        point_in_time: '2100-01-01T00:00:00Z',
        path: '/a',
        recursive: true,
      });
      const id = manifest.body.restore_session_id as string;
      const hashes = [...blobs, blobs[0]!].map(({ hash }) => hash).toReversed();
      const got = await service.getBlobs(id, hashes);
      expect(got.map((bytes) => Buffer.from(bytes!))).toEqual(
        [...blobs, blobs[0]!].map(({ bytes }) => Buffer.from(bytes)).toReversed(),
      );
      // Space for the first blobs, and for a small one after a large one that does not fit.
      const room = new Uint8Array(new SharedArrayBuffer(150_000)).subarray(1_000);
      const shared = await service.getBlobs(id, hashes, room);
      expect(shared.map((bytes) => Buffer.from(bytes!))).toEqual(got.map((bytes) => Buffer.from(bytes!)));
      const inRoom = shared.filter((bytes) => bytes!.buffer === room.buffer);
      expect(inRoom.map((bytes) => bytes!.length)).toEqual([31, 131_073, 9_028, 31]);
      await expect(service.getBlobs(id, [chunk('else').hash])).rejects.toMatchObject({ code: 'chunk_not_in_session' });
      await expect(service.getBlobs('rst_x', [])).rejects.toMatchObject({ code: 'session_not_found' });
      // The session has ended.
      await expect(service.putBlobs(session, blobs)).rejects.toMatchObject({ code: 'session_closed', status: 409 });
    });

    test('are rejected if the session does not need them or their size is wrong', async () => {
      const service = await open();
      const { deviceId, post } = await client(service);
      const files = [manifestEntry(file('/a', ['one']))];
      const init = await post('/functions/v1/backup/init', { device_id: deviceId, backup_set: 'docs', files });
      const session = init.body.session_id as string;
      const put = (hash: string, bytes: Uint8Array, id = session) => service.putBlobs(id, [{ hash, bytes, size: 3 }]);
      const one = chunk('one');
      await expect(put(one.hash, Buffer.concat([one.blob, one.blob]))).rejects.toMatchObject({
        code: 'chunk_size_mismatch',
      });
      await expect(put(chunk('two').hash, chunk('two').blob)).rejects.toMatchObject({ code: 'chunk_not_in_session' });
      await expect(put(one.hash, one.blob, 'ses_x')).rejects.toMatchObject({ code: 'session_not_found' });
      expect((await post('/functions/v1/backup/complete', { session_id: session, stats: STATS })).status).toBe(409);
    });
  });

  describe('opening a folder', () => {
    test('keeps its account and devices', async () => {
      const directory = await temporaryDirectory();
      const first = await openService(join(directory, 'new'), { create: true });
      const { deviceId } = await first.registerDevice({ name: 'laptop', os: 'linux', agent_version: '1' });
      await first.close();
      const again = await open(join(directory, 'new'));
      expect(await again.listDevices()).toEqual([{ id: deviceId, name: 'laptop' }]);
    });

    test('works for two processes at once', async () => {
      const directory = await temporaryDirectory();
      const first = await open(directory);
      const second = await open(directory);
      await first.registerDevice({ name: 'laptop', os: 'linux', agent_version: '1' });
      expect(await second.listDevices()).toEqual(await first.listDevices());
    });

    test.each([
      ['is not there', 'store_missing', (directory: string) => rm(directory, { recursive: true })],
      ['is empty', 'store_unrecognised', () => Promise.resolve()],
      [
        'holds something else',
        'store_unrecognised',
        (directory: string) => writeFile(join(directory, 'thesis.txt'), ''),
      ],
      [
        'is a file',
        'store_unrecognised',
        async (directory: string) => {
          await rm(directory, { recursive: true });
          await writeFile(directory, '');
        },
      ],
    ])('that %s is refused', async (_, code, prepare) => {
      const directory = await temporaryDirectory();
      await prepare(directory);
      await expect(openService(directory)).rejects.toMatchObject({ name: 'StoreError', code, directory });
    });

    test('fails if the folder contains something else', async () => {
      const directory = await temporaryDirectory();
      await writeFile(join(directory, 'thesis.txt'), '');
      const opening = openService(directory, { create: true });
      await expect(opening).rejects.toMatchObject({ code: 'store_unrecognised' });
      await rm(join(directory, 'thesis.txt'));
      await mkdir(join(directory, 'lost+found'));
      await open(directory);
    });

    test.each([
      [
        'of a newer layout',
        'store_newer',
        (directory: string) =>
          writeFile(join(directory, 'holdfast-store.json'), '{"format":"holdfast-store","version":3}'),
      ],
      [
        'with a newer schema',
        'store_newer',
        async (directory: string) => {
          const database = new BetterSqlite(join(directory, 'metadata.sqlite'));
          database.pragma('user_version = 1000');
          database.close();
        },
      ],
      [
        'with a broken marker',
        'store_damaged',
        (directory: string) => writeFile(join(directory, 'holdfast-store.json'), '{'),
      ],
      ['without its metadata', 'store_damaged', (directory: string) => rm(join(directory, 'metadata.sqlite'))],
      [
        'whose metadata is no database',
        'store_damaged',
        (directory: string) => writeFile(join(directory, 'metadata.sqlite'), 'nonsense'.repeat(1_000)),
      ],
    ])('that is a store %s is distinguished', async (_, code, damage) => {
      const directory = await temporaryDirectory();
      await (await openService(directory, { create: true })).close();
      await damage(directory);
      await expect(openService(directory, { create: true })).rejects.toMatchObject({ code });
    });

    test('completes an interrupted creation', async () => {
      const directory = await temporaryDirectory();
      await (await openService(directory, { create: true })).close();
      await rm(join(directory, 'holdfast-store.json'));
      await expect(openService(directory)).rejects.toMatchObject({ code: 'store_unrecognised' });
      await open(directory);
    });
  });

  test('streams long bodies in both directions, and detects an aborted one', async () => {
    const service = await open();
    const { deviceId, token } = await client(service);
    const files = Array.from({ length: 5_000 }, (_, index) => manifestEntry(file(`/f${index}`, [`content ${index}`])));
    const text = JSON.stringify({ device_id: deviceId, backup_set: 'docs', files });
    const init = (body: ReadableStream<Uint8Array>) =>
      service.fetch(
        new Request('http://holdfast.embedded/functions/v1/backup/init', {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
          body,
          duplex: 'half',
        }),
      );
    const answer = (await (await init(new Blob([text]).stream())).json()) as { chunks_needed: unknown[] };
    expect(answer.chunks_needed).toHaveLength(5_000);
    let sent = 0;
    const broken = new ReadableStream<Uint8Array>({
      pull: (stream) => {
        sent += 1;
        if (sent > 3) stream.error(new Error('gone'));
        else stream.enqueue(Buffer.from(sent === 1 ? '{"files":[' : '      '));
      },
    });
    const outcome = await init(broken).then(
      (response) => response.status,
      (error: unknown) => String(error),
    );
    expect(outcome).not.toBe(200);
    expect(await service.listDevices()).toHaveLength(1);
  });
});
