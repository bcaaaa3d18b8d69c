import { describe, expect, onTestFinished, test } from 'vitest';
import type { RestoreFileEntry } from '../../../src/protocol/restore.ts';
import { MemoryStorage } from '../../helpers/storage/memory-storage.ts';
import { testChunk, TestRepository, treeOf, type TestComputer } from './fixture.ts';

const LATER = '2100-01-01T00:00:00.000Z';
const STATS = {
  files_processed: 1,
  chunks_new: 1,
  chunks_deduped: 0,
  bytes_scanned: 1,
  bytes_uploaded: 1,
  duration_seconds: 0,
};

async function open(): Promise<{ computer: TestComputer; shared: TestRepository }> {
  const shared = await TestRepository.create(new MemoryStorage());
  onTestFinished(() => shared[Symbol.dispose]());
  return { shared, computer: await shared.computer('one') };
}

async function manifest(
  { client, id }: TestComputer,
  time: string,
  path = '',
): Promise<readonly (readonly [path: string, chunks: readonly string[]])[]> {
  const files: RestoreFileEntry[] = [];
  const request = { device_id: id, backup_set: 'documents', point_in_time: time, path, recursive: true };
  const head = await client.restoreManifest(request, (batch) => void files.push(...batch));
  expect(head).toMatchObject({
    total_files: files.length,
    total_bytes: files.reduce((sum, { size }) => sum + size, 0),
  });
  return files.map((file) => [file.path, file.chunks]);
}

// What test/system/contract/transfer.ts demands of a service, as far as a repository has it.
describe('the client of a repository', () => {
  test('needs only chunks that are not stored, in the next run as well as after a run that was aborted', async () => {
    const { computer } = await open();
    const [kept, added, more] = [testChunk(), testChunk(), testChunk()];
    await computer.backup('documents', [kept]);
    const aborted = await computer.begin('documents', [kept, added]);
    expect(aborted.needed).toEqual(new Set([treeOf([kept, added]).hash, added.hash]));
    await computer.upload(aborted.sessionId, [added]);
    await computer.client.backupAbort(aborted.sessionId);
    const { needed } = await computer.begin('documents', [kept, added, more]);
    expect(needed).toEqual(new Set([treeOf([kept, added, more]).hash, more.hash]));
  });

  test('stores a blob once that is uploaded twice', async () => {
    const { computer, shared } = await open();
    const chunks = [testChunk(), testChunk()];
    const { sessionId, all } = await computer.begin('documents', chunks);
    await Promise.all([computer.upload(sessionId, all), computer.upload(sessionId, all)]);
    await computer.upload(sessionId, all);
    await computer.complete(sessionId, chunks);
    expect(computer.repository.projection.packs.locate(chunks[0]!.digest)).toHaveLength(1);
    const reader = await shared.computer('reader');
    expect(await reader.lost(all)).toEqual([]);
  });

  test('returns the tree as of a time, and nothing but reserved entries', async () => {
    const { computer } = await open();
    const chunks = [testChunk(), testChunk()];
    const first = await computer.backup('documents', chunks.slice(0, 1));
    await computer.backup('documents', chunks);
    const [then, now] = [treeOf(chunks.slice(0, 1)), treeOf(chunks)];
    expect(await manifest(computer, first.restore_point)).toEqual([['/.holdfast/tree', [then.hash]]]);
    expect(await manifest(computer, LATER)).toEqual([['/.holdfast/tree', [now.hash]]]);
    expect(await manifest(computer, LATER, '/.holdfast')).toEqual([['/.holdfast/tree', [now.hash]]]);
    expect(await manifest(computer, LATER, '/home')).toEqual([]);
  });

  test('has no restore point before the first one, and names those that are near', async () => {
    const { computer } = await open();
    await expect(manifest(computer, LATER)).rejects.toMatchObject({
      code: 'no_restore_point',
      details: { nearest: [] },
    });
    const { restore_point: point } = await computer.backup('documents', [testChunk()]);
    await expect(manifest(computer, '2000-01-01T00:00:00.000Z')).rejects.toMatchObject({
      code: 'no_restore_point',
      details: { nearest: [point] },
    });
  });

  test.each(['unknown', 'aborted', 'completed'])('refuses a session that is %s', async (kind) => {
    const { computer } = await open();
    const { client } = computer;
    const chunks = [testChunk()];
    const { sessionId, all } = await computer.begin('documents', chunks);
    if (kind === 'aborted') await client.backupAbort(sessionId);
    if (kind === 'completed') {
      await computer.upload(sessionId, all);
      await computer.complete(sessionId, chunks);
    }
    const id = kind === 'unknown' ? 'none' : sessionId;
    const expected = { code: 'service_error', details: { status: 404 } };
    await expect(computer.upload(id, all)).rejects.toMatchObject(expected);
    await expect(client.backupComplete(id, STATS)).rejects.toMatchObject(expected);
  });

  test('refuses the backups of another device', async () => {
    const { computer, shared } = await open();
    const other = await shared.computer('other');
    const opening = other.client.backupOpen({ deviceId: computer.id, backupSet: 'documents' });
    await expect(opening).rejects.toMatchObject({ code: 'device_refused', details: { deviceId: computer.id } });
  });

  test('keeps the time of a copy, also before other restore points, and gives no two the same', async () => {
    const { computer } = await open();
    const newest = await computer.backup('documents', [testChunk()]);
    const time = Date.parse(newest.restore_point);
    const copy = async (at: number): Promise<number> => {
      const chunks = Array.from({ length: 60 }, () => testChunk(200));
      const { sessionId, all } = await computer.begin('documents', chunks);
      await computer.upload(sessionId, all);
      const bytes = 60 * 200;
      const stats = { ...STATS, files_processed: 60, bytes_scanned: bytes, restore_point: new Date(at).toISOString() };
      return Date.parse((await computer.client.backupComplete(sessionId, stats)).restore_point);
    };
    expect(await copy(time - 5_000)).toBe(time - 5_000);
    expect(await copy(time - 5_000)).toBe(time - 4_999);
    expect(await copy(time)).toBe(time + 1);
    // This computer's clock may be behind.
    const late = await copy(Date.parse(LATER));
    expect(late).toBe(Date.parse(LATER));
    // A backup is after all of them.
    const next = await computer.backup('documents', [testChunk()]);
    expect(Date.parse(next.restore_point)).toBeGreaterThan(late);
    const { points } = computer.repository.projection;
    expect(points.ofSet({ device: computer.id, set: 'documents' })[0]?.id.toString('hex')).toBe(next.backup_id);
  });

  test('raises no alarm for a copy before other restore points', async () => {
    const { computer } = await open();
    const backUp = async (at?: number): Promise<string> => {
      const chunks = Array.from({ length: 60 }, () => testChunk(200));
      const { sessionId, all } = await computer.begin('documents', chunks);
      await computer.upload(sessionId, all);
      const kept = at === undefined ? {} : { restore_point: new Date(at).toISOString() };
      const stats = { ...STATS, files_processed: 60, bytes_scanned: 12_000, ...kept };
      return (await computer.client.backupComplete(sessionId, stats)).restore_point;
    };
    const time = Date.parse(await backUp());
    await backUp(time - 1_000);
    expect(computer.repository.projection.points.alarms()).toEqual([]);
    // The same as a backup: every file has other content.
    await backUp();
    expect(computer.repository.projection.points.alarms()).toMatchObject([{ reasons: ['mass_rewrite'] }]);
  });

  test('refuses differences from any restore point but the newest of the set', async () => {
    const { computer } = await open();
    const before = await computer.backup('documents', [testChunk()]);
    const newest = await computer.backup('documents', [testChunk()]);
    const other = await computer.backup('photos', [testChunk()]);
    const send = (base: string) =>
      computer.client.backupInit(
        {
          deviceId: computer.id,
          backupSet: 'documents',
          files: () => {
            throw new Error('the whole manifest was read');
          },
          delta: { base, changes: async function* () {} },
        },
        () => undefined,
      );
    for (const { backup_id: id } of [before, other]) {
      await expect(send(id)).rejects.toMatchObject({ code: 'service_error', details: { status: 409 } });
    }
    expect(await send(newest.backup_id)).toMatchObject({ chunks_to_upload: 0 });
  });
});
