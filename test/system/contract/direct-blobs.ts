import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import type { BlobKey, DirectBlobs, ObjectStore } from '../../../src/service/objects/object-store.ts';
import { blobOf } from './object-store.ts';

const LIFETIME = 900;

/** The contract of every storage that clients access directly. */
export function describeDirectBlobs(
  name: string,
  open: () => Promise<{ readonly store: ObjectStore & { readonly direct: DirectBlobs } }>,
): void {
  describe(`direct blobs: ${name}`, () => {
    test('are uploaded and downloaded by URLs alone', async () => {
      const { store } = await open();
      const { key, bytes } = blobOf(1, 100_000);
      expect(await put(store.direct, key, bytes)).toBe(200);
      expect(await store.get([key])).toEqual([Buffer.from(bytes)]);
      const { statusCode, body } = await request(await store.direct.presignGet(key, Date.now(), LIFETIME));
      expect(statusCode).toBe(200);
      expect(Buffer.from(await body.arrayBuffer())).toEqual(Buffer.from(bytes));
    });

    test('are never replaced, however often a URL is used', async () => {
      const { store } = await open();
      const { key, bytes } = blobOf(1, 5_000);
      const address = await store.direct.presignPut(key, Date.now(), LIFETIME);
      const bodies = Array.from({ length: 20 }, (_, index) => new Uint8Array(5_000).fill(index));
      const statuses = await Promise.all(bodies.map((body) => putTo(address.url, address.headers, body)));
      expect(statuses.toSorted((one, other) => one - other)).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
      const winner = bodies[statuses.indexOf(200)]!;
      expect(await put(store.direct, key, bytes)).toBe(412);
      expect(await store.get([key])).toEqual([Buffer.from(winner)]);
    });

    test.each([
      ['a shorter length', (headers: Headers) => headers, 4_999],
      ['a longer length', (headers: Headers) => headers, 5_001],
      ['no condition', ({ 'Content-Length': length }: Headers) => ({ 'Content-Length': length! }), 5_000],
      ['another condition', (headers: Headers) => ({ ...headers, 'If-None-Match': '"abc"' }), 5_000],
    ])('are refused with %s', async (_name, change, length) => {
      const { store } = await open();
      const { key } = blobOf(1, 5_000);
      const { url, headers } = await store.direct.presignPut(key, Date.now(), LIFETIME);
      const body = new Uint8Array(length);
      const sent = { ...change({ ...headers }), 'Content-Length': String(length) };
      expect(await putTo(url, sent, body)).toBe(403);
      expect(await store.get([key])).toEqual([undefined]);
    });

    test('are refused if the URL has expired or was changed', async () => {
      const { store } = await open();
      const { key, bytes } = blobOf(1, 500);
      const other = blobOf(2, 500);
      const over = await store.direct.presignPut(key, Date.now() - (LIFETIME + 60) * 1000, LIFETIME);
      expect(await putTo(over.url, over.headers, bytes)).toBe(403);
      const { url, headers } = await store.direct.presignPut(key, Date.now(), LIFETIME);
      const turned = url.replace(key.digest, other.key.digest);
      expect(turned).not.toBe(url);
      expect(await putTo(turned, headers, bytes)).toBe(403);
      expect(await store.get([key, other.key])).toEqual([undefined, undefined]);
    });

    test('are found with their sizes, and distinguished from missing ones and other accounts', async () => {
      const { store } = await open();
      const blobs = Array.from({ length: 1_200 }, (_, index) =>
        blobOf(index * (index < 1_100 ? 1 : 500) + 1, 30 + (index % 3)),
      );
      const stored = blobs.filter((_, index) => index % 7 !== 0);
      await store.put(stored);
      await store.put(stored.map(({ key, bytes }) => ({ key: { ...key, accountId: 'acc_other' }, bytes })));
      const keys = blobs.map(({ key }) => key).toReversed();
      const expected = blobs.map(({ bytes }, index) => (index % 7 === 0 ? undefined : bytes.length)).toReversed();
      expect(await store.direct.present(keys)).toEqual(expected);
      expect(await store.direct.present(keys.map((key) => changed(key, { size: 99 })))).toEqual(expected);
      expect(await store.direct.present(keys.map((key) => changed(key, { accountId: 'acc_third' })))).toEqual(
        keys.map(() => undefined),
      );
      expect(await store.direct.present([])).toEqual([]);
    });
  });
}

function changed(key: BlobKey, change: Partial<BlobKey>): BlobKey {
  return { ...key, ...change };
}

type Headers = Readonly<Record<string, string>>;

async function put(direct: DirectBlobs, key: BlobKey, bytes: Uint8Array): Promise<number> {
  const { url, headers } = await direct.presignPut(key, Date.now(), LIFETIME);
  return putTo(url, headers, bytes);
}

async function putTo(url: string, headers: Headers, body: Uint8Array): Promise<number> {
  const response = await request(url, { method: 'PUT', headers, body });
  await response.body.dump();
  return response.statusCode;
}
