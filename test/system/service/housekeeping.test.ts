import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { chunk, file, TestService } from '../../unit/service/harness.ts';

function count(service: TestService, name: 'metadata.sqlite' | 'blobs.sqlite', table: string): number {
  const database = new BetterSqlite(join(service.directory, name), { readonly: true });
  const rows = database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!;
  database.close();
  return rows;
}

/** Blobs with a file of their own. */
async function files(service: TestService): Promise<string[]> {
  const entries = await readdir(join(service.directory, 'objects'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.pack')).map((entry) => entry.name);
}

/** Polls until housekeeping is done, since it works in the background and closing waits only for the current step. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(setImmediate);
}

test('deletes uploads of an aborted session that no other one has or needs', async () => {
  const service = await TestService.open();
  const device = await service.register();
  const large = [chunk(200_000), chunk(200_001), chunk(200_002)] as const;
  await service.backUp(device, 'docs', [file('/kept', ['kept', large[0]])]);
  const aborted = [file('/kept', ['kept', large[0]]), file('/gone', ['gone', large[1], 'shared', large[2]])];
  const init = await service.init(device, 'docs', aborted);
  // Arrived but not yet counted: counted chunks belong to the account, whoever uploaded them.
  const { context } = service.service;
  const other = await service.init(device, 'photos', [file('/x', ['shared', large[2]])]);
  expect(other.body.chunks_needed).toHaveLength(2);
  await service.post('/functions/v1/backup/abort', device.token, { session_id: init.body.session_id });
  service.service.keepHouse();
  await until(() => count(service, 'metadata.sqlite', 'session WHERE swept = 1') === 2);
  expect(count(service, 'metadata.sqlite', 'chunk')).toBe(4);
  expect(count(service, 'metadata.sqlite', 'session_chunk')).toBe(2);
  expect(count(service, 'metadata.sqlite', 'file_version')).toBe(2);
  expect(count(service, 'blobs.sqlite', 'packed')).toBe(1);
  expect(await files(service)).toHaveLength(1);
  await service.upload(device, other, [file('/x', ['shared', large[2]])]);
  expect((await service.complete(device, other.body.session_id as string)).status).toBe(200);
  expect(context.intake.has(1)).toBe(false);
});

test('deletes uncounted blobs of a failed session', async () => {
  const service = await TestService.open();
  const device = await service.register();
  const { objects, metadata } = service.service.context;
  const blobs = [chunk('small'), chunk(300_000)];
  const init = await service.init(device, 'docs', [file('/a', blobs)]);
  for (const { hash, blob } of blobs) {
    const digest = hash.slice(7);
    const [row] = await metadata.chunks.find(1, [Buffer.from(digest, 'hex')]);
    const key = { accountId: service.accountId, chunkId: row!.id, digest, size: blob.length };
    await objects.put([{ key, bytes: blob }]);
  }
  expect([count(service, 'blobs.sqlite', 'packed'), (await files(service)).length]).toEqual([1, 1]);
  await service.post('/functions/v1/backup/abort', device.token, { session_id: init.body.session_id });
  service.service.keepHouse();
  await until(() => count(service, 'metadata.sqlite', 'session WHERE swept = 1') === 1);
  expect(count(service, 'metadata.sqlite', 'chunk')).toBe(0);
  expect([count(service, 'blobs.sqlite', 'packed'), await files(service)]).toEqual([0, []]);
});

test('deletes in steps and continues after a restart', async () => {
  const service = await TestService.open();
  const device = await service.register();
  const many = Array.from({ length: 5_000 }, (_, index) => file(`/${index}`, []));
  const init = await service.init(device, 'docs', many);
  await service.post('/functions/v1/backup/abort', device.token, { session_id: init.body.session_id });
  await service.service.context.metadata.sessions.sweep();
  const left = count(service, 'metadata.sqlite', 'file_version');
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(5_000);
  await service.close();
  const again = await TestService.open(service.directory, service.clock);
  again.service.keepHouse();
  await until(() => count(again, 'metadata.sqlite', 'session WHERE swept = 1') === 1);
  expect(count(again, 'metadata.sqlite', 'file_version')).toBe(0);
});
