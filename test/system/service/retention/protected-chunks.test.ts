import { beforeEach, expect, test } from 'vitest';
import { collectChunks, GRACE } from '../../../../src/service/retention/collect-chunks.ts';
import { clearRemoved } from '../../../../src/service/retention/clear-removed.ts';
import { withProtectedChunks } from '../../../../src/service/retention/protected-chunks.ts';
import type { ChunkStore } from '../../../../src/service/backup/store/chunk-store.ts';
import { file, TestService } from '../../../unit/service/harness.ts';
import type { Answer, TestDevice } from '../../../unit/service/harness.ts';

const WHOLE = [file('/whole', ['whole'])];
const GONE = [file('/a', ['gone'])];
const { signal } = new AbortController();

let service: TestService;
let device: TestDevice;
beforeEach(async () => {
  service = await TestService.open();
  device = await service.register();
  await service.backUp(device, 'docs', GONE);
  await service.backUp(device, 'docs', WHOLE);
  const { metadata, clock } = service.service.context;
  const { retention } = metadata;
  const set = { accountId: service.accountId, setNumber: 1 };
  await retention.remove(set, clock.now(), ({ points }) => [points[0]!.session]);
  await clearRemoved(metadata, signal);
  while (await metadata.sessions.sweep());
});

async function collect(): Promise<void> {
  const { metadata, objects, clock } = service.service.context;
  const { collection, retention } = metadata;
  const [account] = await retention.accounts();
  await collection.collected(account!.id, 0);
  await collectChunks({ retention, collection, objects, clock }, account!, signal);
}

/** Pauses manifests from now on after their chunks were queried and before they are recorded. */
function holdUp(): { readonly reached: Promise<void>; readonly release: () => void } {
  const { metadata } = service.service.context;
  const { trees } = metadata;
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  Object.assign(metadata, {
    trees: {
      ...trees,
      stage: async (...parameters: Parameters<typeof trees.stage>) => {
        reached.resolve();
        await released.promise;
        return trees.stage(...parameters);
      },
    },
  });
  return { reached: reached.promise, release: released.resolve };
}

/** Expects that the session needs no upload, and that its restore point has the blob. */
async function expectKept(init: Answer): Promise<void> {
  expect(init.body).toMatchObject({ chunks_needed: [] });
  device = { ...device, token: await service.tokenOf(device.id) };
  expect((await service.complete(device, init.body.session_id as string)).status).toBe(200);
  await collect();
  const manifest = await service.manifest(device, 'docs');
  const presign = await service.post('/functions/v1/restore/presign', device.token, {
    restore_session_id: manifest.body.restore_session_id as string,
    chunk_hashes: GONE[0]!.chunks.map(({ hash }) => hash),
  });
  const [download] = presign.body.downloads as { url: string }[];
  expect((await service.call('GET', download!.url)).body).toEqual(GONE[0]!.chunks[0]!.blob);
}

test('keeps a condemned chunk that was reported to a session as stored', async () => {
  await collect();
  service.clock.advance(GRACE);
  device = { ...device, token: await service.tokenOf(device.id) };
  const { reached, release } = holdUp();
  const init = service.init(device, 'docs', GONE);
  await reached;
  await collect();
  release();
  await expectKept(await init);
});

test('keeps a chunk that is condemned after it was reported to a session as stored, until the session has ended', async () => {
  const { reached, release } = holdUp();
  const init = service.init(device, 'docs', GONE);
  await reached;
  await collect();
  service.clock.advance(GRACE);
  await collect();
  release();
  await expectKept(await init);
});

test('spares a chunk that is queried; a dropped one is unknown, and gets another id when it is uploaded again', async () => {
  await collect();
  service.clock.advance(GRACE);
  const { chunks } = service.service.context.metadata;
  const { collection } = service.service.context.metadata;
  const digests = [Buffer.from(GONE[0]!.chunks[0]!.hash.slice(7), 'hex')];
  const { drops } = await collection.state();
  const [before] = await chunks.find(1, digests);
  expect(before?.size).toBe('gone'.length);
  // The query has spared it: it takes another search, and another day.
  await collect();
  service.clock.advance(GRACE);
  await collect();
  expect((await collection.state()).drops).toBe(drops + 1);
  expect(await chunks.find(1, digests)).toEqual([undefined]);
  const [row] = await chunks.resolve(1, digests);
  expect(row!.size).toBeUndefined();
  expect(row!.id).toBeGreaterThan(before!.id);
});

test('repeats a query while which chunks were dropped', async () => {
  let drops = 0;
  const found = [[{ id: 1, size: 4 }], [undefined]];
  const chunks = {
    find: () => {
      drops = 1;
      return Promise.resolve(found.shift()!);
    },
  } as unknown as ChunkStore;
  const state = () => Promise.resolve({ drops, pending: false });
  const { find } = withProtectedChunks(chunks, { state, spare: state });
  expect(await find(1, [])).toEqual([undefined]);
  expect(found).toEqual([]);
});

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  'a collector that is killed at call %i leaves a consistent state, and the next one completes the work',
  async (last) => {
    await collect();
    service.clock.advance(GRACE);
    const { context } = service.service;
    let calls = 0;
    const dying = <Store extends object>(store: Store): Store =>
      new Proxy(store, {
        get:
          (target, name) =>
          async (...parameters: unknown[]) => {
            calls += 1;
            if (calls > last) throw new Error('killed');
            return (await Reflect.apply(Reflect.get(target, name) as () => unknown, target, parameters)) as unknown;
          },
      });
    const { metadata, objects, clock } = context;
    const { retention, collection } = metadata;
    const parts = { retention: dying(retention), collection: dying(collection), objects: dying(objects), clock };
    const [account] = await retention.accounts();
    await collectChunks(parts, account!, signal).catch(() => undefined);
    await collect();
    expect(await collection.dropped(9)).toEqual([]);
    expect((await context.metadata.accounts.findAccount(service.accountId))!.storageUsed).toBe('whole'.length + 28);
    device = { ...device, token: await service.tokenOf(device.id) };
    expect((await service.backUp(device, 'docs', [...GONE, ...WHOLE])).status).toBe(200);
  },
);
