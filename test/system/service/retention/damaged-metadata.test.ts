import BetterSqlite from 'better-sqlite3';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { performRetention } from '../../../../src/service/retention/retention.ts';
import { file, TestService } from '../../../unit/service/harness.ts';
import type { TestDevice } from '../../../unit/service/harness.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let service: TestService;
let device: TestDevice;
let first: string;

/** Two restore points with a common file; the first one is removed. */
beforeEach(async () => {
  service = await TestService.open();
  device = await service.register();
  first = await backUp(['gone', 'both']);
  await backUp(['both', 'new']);
});

async function backUp(contents: readonly string[]): Promise<string> {
  service.clock.advance(HOUR);
  const token = await service.tokenOf(device.id);
  const files = contents.map((content) => file(`/${content}`, [content]));
  const answer = await service.backUp({ ...device, token }, 'docs', files);
  expect(answer.status).toBe(200);
  return answer.body.backup_id as string;
}

async function removeFirst(): Promise<void> {
  const request = { device_id: device.id, backup_set: 'docs', action: 'remove', backup_id: first } as const;
  await performRetention(service.service.context, service.accountId, request);
}

/** Lets ten days pass, in which everything unreferenced is deleted. */
async function passDays(): Promise<void> {
  service.service.keepHouse();
  for (let day = 0; day < 10; day += 1) {
    service.clock.advance(DAY);
    await service.service.tidy();
  }
}

/** Changes the metadata as a flipped bit does. */
function damage(sql: string): void {
  const database = new BetterSqlite(join(service.directory, 'metadata.sqlite'));
  database.pragma('foreign_keys = OFF');
  expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
  database.close();
}

async function stored(): Promise<{ readonly chunks: unknown; readonly versions: unknown; readonly bytes: number }> {
  const database = new BetterSqlite(join(service.directory, 'metadata.sqlite'), { readonly: true });
  const count = (table: string): unknown => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  const [chunks, versions] = [count('chunk'), count('file_version')];
  database.close();
  const account = await service.service.context.metadata.accounts.findAccount(service.accountId);
  return { chunks, versions, bytes: account!.storageUsed };
}

/** SQL: the newest run. */
const NEW = `(SELECT max(number) FROM session)`;

describe('nothing is deleted while the metadata is damaged', () => {
  test.each([
    ['the id of a chunk', `chunks = substr(chunks, 1, 41) || x'7f'`],
    ['the digest of a chunk', `chunks = x'00' || substr(chunks, 2)`],
    ['the length of a chunk list', `chunks = substr(chunks, 1, 41)`],
    ['the chunks of a file', `chunks = x''`],
    ['the end of a version', `valid_to = ${NEW}`],
    ['the beginning of a version', `valid_from = 999`],
    ['the size of a file', `size = size + 1`],
    ['the set of a version', `set_number = 77`],
  ])('%s', async (_what, change) => {
    await removeFirst();
    const before = await stored();
    damage(`UPDATE file_version SET ${change} WHERE path_key LIKE '%both'`);
    await passDays();
    expect(await stored()).toEqual(before);
  });

  test.each([
    ['a version that is lost', `DELETE FROM file_version WHERE path_key LIKE '%both'`],
    ['a run that is lost', `DELETE FROM session WHERE number = ${NEW}`],
    ['a set that is lost', 'DELETE FROM backup_set'],
    ['the account of a set', `UPDATE backup_set SET account_id = 'other'`],
    ['the digest of a chunk', `UPDATE chunk SET digest = zeroblob(32) WHERE id = (SELECT min(id) FROM chunk)`],
  ])('%s', async (_what, sql) => {
    await removeFirst();
    damage(sql);
    const before = await stored();
    await passDays();
    expect(await stored()).toEqual(before);
  });

  test('a blob to be deleted that a stored chunk has', async () => {
    damage(`INSERT INTO dropped_blob (chunk_id, account_id, digest, size)
            SELECT id, '${service.accountId}', digest, blob_size FROM chunk WHERE id = (SELECT max(id) FROM chunk)`);
    const { collection } = service.service.context.metadata;
    const [key] = await collection.dropped(1);
    await passDays();
    const [blob] = await service.service.context.objects.get([key!]);
    expect(blob).toHaveLength(key!.size);
  });

  /** Deleted are versions of files within an hour, and their chunks a day later. */
  test.each([
    ['before versions are deleted', 0],
    ['before chunks are deleted', 2],
  ])('a page of the database, %s', async (_when, hours) => {
    const whole = await stored();
    await removeFirst();
    service.service.keepHouse();
    for (let hour = 0; hour < hours; hour += 1) {
      service.clock.advance(HOUR);
      await service.service.tidy();
    }
    const path = join(service.directory, 'metadata.sqlite');
    const database = new BetterSqlite(path);
    database.pragma('wal_checkpoint(TRUNCATE)');
    const page = database.prepare<[], number>(`SELECT rootpage FROM sqlite_schema WHERE name = 'audit_entry'`).pluck();
    const number = page.get()!;
    database.close();
    const handle = openSync(path, 'r+');
    writeSync(handle, Buffer.alloc(64, 0xff), 0, 64, (number - 1) * 4096);
    closeSync(handle);
    const before = await stored();
    if (hours > 0) expect(before.versions).toBeLessThan(Number(whole.versions));
    await passDays();
    expect(await stored()).toEqual(before);
  });
});

test('everything unreferenced is deleted while it is not', async () => {
  await removeFirst();
  await passDays();
  expect(await stored()).toMatchObject({ chunks: 2, versions: 2 });
});
