import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ObjectStore } from '../../../../src/service/objects/object-store.ts';
import { ByteBudget } from '../../../../src/service/request/byte-budget.ts';
import { PacedDownloads } from '../../../../src/service/request/paced-downloads.ts';
import { inRequestScope } from '../../../../src/service/request/request-scope.ts';
import { BLOB_PIECE } from '../../../../src/service/restore/read-blobs.ts';
import { chunk, file, TestService } from '../harness.ts';

const LARGE = 8 * BLOB_PIECE;

/** A stored blob with its presigned URL, and the parts that the service reads of it. */
async function stored() {
  const service = await TestService.open();
  const device = await service.register();
  const large = chunk(LARGE);
  await service.backUp(device, 'docs', [file('/a', [large])]);
  const { body } = await service.manifest(device, 'docs');
  const request = { restore_session_id: body.restore_session_id as string, chunk_hashes: [large.hash] };
  const { downloads } = (await service.post('/functions/v1/restore/presign', device.token, request)).body;
  const { url } = downloads[0] as { url: string };
  const reads: (readonly [from: number, to: number])[] = [];
  const objects = service.service.context.objects as { part: ObjectStore['part'] };
  const part = objects.part.bind(objects);
  objects.part = async (key, from, to) => {
    reads.push([from, to]);
    return part(key, from, to);
  };
  const get = (headers = {}) => service.service.fetch(new Request(url, { headers }));
  return { service, large, get, reads };
}

describe('a download', () => {
  test('is read from the store as the client takes it', async () => {
    const { large, get, reads } = await stored();
    const response = await get();
    expect(reads).toEqual([[0, BLOB_PIECE]]);
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(Buffer.from(first.value ?? [])).toEqual(Buffer.from(large.blob.subarray(0, BLOB_PIECE)));
    expect(reads).toHaveLength(1);
    await reader.read();
    expect(reads).toHaveLength(2);
    await reader.cancel();
    expect(reads).toHaveLength(2);
  });

  test('arrives complete', async () => {
    const { large, get } = await stored();
    const response = await get();
    expect(response.headers.get('content-length')).toBe(String(large.blob.length));
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(large.blob));
  });

  test.each([
    ['bytes=0-0', [[0, 1]]],
    [`bytes=${LARGE}-`, [[LARGE, LARGE + 28]]],
    [
      `bytes=5-${BLOB_PIECE + 9}`,
      [
        [5, BLOB_PIECE + 5],
        [BLOB_PIECE + 5, BLOB_PIECE + 10],
      ],
    ],
  ])('of the range %s reads that range only', async (range, expected) => {
    const { get, reads } = await stored();
    await (await get({ range })).arrayBuffer();
    expect(reads).toEqual(expected);
  });

  test('breaks off if the blob goes missing', async () => {
    const { service, get } = await stored();
    const response = await get();
    (service.service.context.objects as { part: ObjectStore['part'] }).part = async () => undefined;
    await expect(response.arrayBuffer()).rejects.toThrow('blob is gone');
    expect((await get()).status).toBe(404);
  });
});

/** Two pieces of a byte. */
async function* pieces(onEnd = (): void => undefined) {
  try {
    yield new Uint8Array(1);
    yield new Uint8Array(1);
  } finally {
    onEnd();
  }
}

const LIMITS = { request: 10, account: 10, total: 15 };

describe('downloads', () => {
  test('are refused while others hold the memory, and permitted once these have ended', async () => {
    const downloads = new PacedDownloads(new ByteBudget(LIMITS));
    const first = downloads.begin({ accountId: 'a' }, 10, pieces());
    const refused = () => downloads.begin({ accountId: 'a' }, 1, pieces());
    expect(refused).toThrow(/unavailable/);
    expect(() => downloads.begin({ accountId: 'b' }, 6, pieces())).toThrow(/unavailable/);
    const other = downloads.begin({ accountId: 'b' }, 5, pieces());
    await first.cancel();
    for await (const _ of downloads.begin({ accountId: 'a' }, 10, pieces())) expect(refused).toThrow(/unavailable/);
    await other.cancel();
    for await (const _ of downloads.begin({ accountId: 'b' }, 10, pieces()));
    for await (const _ of downloads.begin({ accountId: 'a' }, 10, pieces()));
  });

  test('of one person take at most half of what the others of the account leave', () => {
    const downloads = new PacedDownloads(new ByteBudget({ request: 1, account: 16, total: 64 }));
    const begun = (accountId: string, person: string): number => {
      for (let count = 0; ; count += 1) {
        try {
          downloads.begin({ accountId, person }, 1, pieces());
        } catch (error) {
          expect(error).toMatchObject({ code: 'unavailable' });
          return count;
        }
      }
    };
    expect(['mia', 'mia', 'ben', 'aldo'].map((person) => begun('a', person))).toEqual([8, 0, 4, 2]);
    expect(begun('b', 'mia')).toBe(8);
  });

  test('are counted for the device’s person', async () => {
    const { service, get } = await stored();
    const { metadata, downloads } = service.service.context;
    const begin = vi.spyOn(downloads, 'begin');
    await (await get()).arrayBuffer();
    const [device] = await metadata.deviceActivity.list(service.accountId);
    const expected = { accountId: service.accountId, person: device!.registeredBy ?? device!.id };
    expect(begin.mock.calls[0]![0]).toMatchObject(expected);
  });

  test('end with the store’s failure', async () => {
    const downloads = new PacedDownloads(new ByteBudget(LIMITS));
    // oxlint-disable-next-line require-yield -- fails first
    async function* failing(): AsyncGenerator<Uint8Array> {
      throw new Error('the disk is gone');
    }
    await expect(downloads.begin({ accountId: 'a' }, 10, failing()).getReader().read()).rejects.toThrow(
      'the disk is gone',
    );
    for await (const _ of downloads.begin({ accountId: 'a' }, 10, pieces()));
  });

  test.each(['nothing', 'one piece'])('are cut off when the client takes %s', async (taken) => {
    const downloads = new PacedDownloads(new ByteBudget(LIMITS), 5);
    const ended = Promise.withResolvers<void>();
    const reader = downloads.begin({ accountId: 'a' }, 10, pieces(ended.resolve)).getReader();
    // The timer of the service does not keep the process alive.
    const alive = setInterval(() => undefined, 1_000);
    onTestFinished(() => clearInterval(alive));
    if (taken === 'one piece') {
      // Slower than the client would have to be, it may have been cut off already.
      await reader.read().then(
        () => ended.promise,
        () => undefined,
      );
    }
    await expect(reader.closed).rejects.toThrow('too slowly');
    for await (const _ of downloads.begin({ accountId: 'a' }, 10, pieces()));
  });

  test('close the connection of a request whose client takes nothing', async () => {
    const downloads = new PacedDownloads(new ByteBudget(LIMITS), 5);
    const alive = setInterval(() => undefined, 1_000);
    onTestFinished(() => clearInterval(alive));
    const facts = { id: 'r', address: undefined, route: undefined, accountId: undefined };
    await new Promise<void>((cut) => {
      const scope = { ...facts, enter: () => undefined, identify: () => undefined, cut };
      inRequestScope(scope, () => downloads.begin({ accountId: 'a' }, 10, pieces()));
    });
    for await (const _ of downloads.begin({ accountId: 'a' }, 10, pieces()));
  });
});
