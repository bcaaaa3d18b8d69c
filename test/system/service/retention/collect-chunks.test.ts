import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { clearRemoved } from '../../../../src/service/retention/clear-removed.ts';
import { collectChunks, GRACE, type CollectorParts } from '../../../../src/service/retention/collect-chunks.ts';
import { METADATA_FILE } from '../../../../src/service/database/sqlite/sqlite-connection.ts';
import { chunk, file, TestService } from '../../../unit/service/harness.ts';

const { signal } = new AbortController();

let service: TestService;
let parts: CollectorParts;
beforeEach(async () => {
  service = await TestService.open();
  const device = await service.register();
  for (const content of ['gone', 'kept']) await service.backUp(device, 'docs', [file(`/${content}`, [content])]);
  const { metadata, objects, clock } = service.service.context;
  const { retention, collection } = metadata;
  parts = { retention, collection, objects, clock };
  const set = { accountId: service.accountId, setNumber: 1 };
  await retention.remove(set, clock.now(), ({ points }) => [points[0]!.session]);
});

/** Deletes what only the removed restore point had. */
async function clear(): Promise<void> {
  await clearRemoved(service.service.context.metadata, signal);
  while (await service.service.context.metadata.sessions.sweep());
}

async function collect(changes: Partial<CollectorParts> = {}): Promise<void> {
  const [account] = await parts.retention.accounts();
  await parts.collection.collected(account!.id, 0);
  await collectChunks({ ...parts, ...changes }, account!, signal);
}

function rowsOf(table: 'file_version' | 'condemned_chunk' | 'collection'): readonly unknown[] {
  const database = new Database(join(service.directory, METADATA_FILE), { readonly: true });
  try {
    return database.prepare(`SELECT * FROM ${table}`).all();
  } finally {
    database.close();
  }
}

/** Returns the id of a chunk, without the query that would spare it; `undefined` if it is dropped. */
async function idOf(content: string): Promise<number | undefined> {
  const digest = Buffer.from(chunk(content).hash.slice('sha256:'.length), 'hex');
  const chunks = service.openDatabase().queries.selectFrom('chunk').select('id').where('digest', '=', digest);
  return (await chunks.executeTakeFirst())?.id;
}

/** Condemns chunks as a search of an earlier time may have. */
async function condemn(ids: readonly number[]): Promise<void> {
  const { collection, clock } = parts;
  const mark = await collection.begin(service.accountId, clock.now());
  await collection.condemn(mark, ids);
  await collection.finish(mark, clock.now());
}

describe('while an account is held', () => {
  beforeEach(() => parts.retention.hold(service.accountId, service.clock.now()));

  test('no version of a file is deleted', async () => {
    const before = rowsOf('file_version');
    await clear();
    expect(rowsOf('file_version')).toEqual(before);
    expect(before).toHaveLength(2);
  });

  test('no chunk is condemned', async () => {
    await parts.retention.release(service.accountId);
    await clear();
    await parts.retention.hold(service.accountId, service.clock.now());
    await collect();
    expect(rowsOf('condemned_chunk')).toEqual([]);
  });

  test('no chunk is dropped, also when the hold came after the collector had looked', async () => {
    await parts.retention.release(service.accountId);
    await clear();
    await collect();
    service.clock.advance(GRACE);
    await parts.retention.hold(service.accountId, service.clock.now());
    const released = { ...parts.retention, isHeld: () => Promise.resolve(false) };
    await collect({ retention: released });
    expect(await idOf('gone')).toBeDefined();
  });
});

test('a chunk that was condemned while the clock was ten years ahead is dropped a grace period after that was noticed', async () => {
  const tenYears = 3650 * 24 * 3_600_000;
  await clear();
  service.clock.advance(tenYears);
  await collect();
  service.clock.advance(-tenYears);
  await collect();
  service.clock.advance(GRACE - 1);
  await collect();
  expect(await idOf('gone')).toBeDefined();
  service.clock.advance(1);
  await collect();
  expect(await idOf('gone')).toBeUndefined();
});

describe('a condemned chunk that a restore point has', () => {
  test('is never passed to be dropped', async () => {
    await clear();
    const [gone, kept] = [(await idOf('gone'))!, (await idOf('kept'))!];
    await condemn([gone, kept]);
    service.clock.advance(GRACE);
    const dropped: number[] = [];
    const drop: CollectorParts['collection']['drop'] = async (mark, ids) => {
      dropped.push(...ids);
      await parts.collection.drop(mark, ids);
    };
    await collect({ collection: { ...parts.collection, drop } });
    expect(dropped).toEqual([gone]);
    expect([await idOf('gone'), await idOf('kept')]).toEqual([undefined, kept]);
  });

  test('is not condemned any more afterwards, and its collection is done', async () => {
    await condemn([(await idOf('kept'))!]);
    service.clock.advance(GRACE);
    await collect();
    expect(rowsOf('condemned_chunk')).toEqual([]);
    expect(rowsOf('collection')).toEqual([]);
  });
});
