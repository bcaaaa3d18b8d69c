import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { BlobLengthError } from '../../../src/service/objects/object-store.ts';
import type { BlobKey, KeyedBlob, ObjectStore } from '../../../src/service/objects/object-store.ts';

/** A store that can be closed and opened again with its contents. */
export interface ObjectStoreUnderTest {
  readonly store: ObjectStore;
  /** Closes the store and opens it again. */
  reopen(): Promise<ObjectStore>;
}

/** Lengths on both sides of every limit that an implementation may have. */
const LENGTHS = [29, 8_220, 131_071, 131_072, 131_073, 1_048_604];

/** The contract of every `ObjectStore`. */
export function describeObjectStore(name: string, open: () => Promise<ObjectStoreUnderTest>): void {
  describe(`object store: ${name}`, () => {
    test.each(LENGTHS)('returns a blob of %i bytes, also after a flush and in a new process', async (length) => {
      const { store, reopen } = await open();
      const blob = blobOf(1, length);
      await store.put([blob]);
      expect(await store.get([blob.key])).toEqual([Buffer.from(blob.bytes)]);
      await store.flush();
      expect(await (await reopen()).get([blob.key])).toEqual([Buffer.from(blob.bytes)]);
    });

    test('returns blobs in the order of their keys, and `undefined` for missing ones', async () => {
      const { store } = await open();
      const blobs = LENGTHS.map((length, index) => blobOf(index + 1, length));
      await store.put(blobs);
      const unknown = blobOf(100, 500);
      const unknownLarge = blobOf(101, 500_000);
      const keys = [unknown.key, ...blobs.map(({ key }) => key).toReversed(), unknownLarge.key];
      const found = await store.get(keys);
      expect(found.map((bytes) => bytes?.length)).toEqual([undefined, ...LENGTHS.toReversed(), undefined]);
      expect(found.slice(1, -1)).toEqual(blobs.map(({ bytes }) => Buffer.from(bytes)).toReversed());
    });

    test.each(LENGTHS)('returns a blob twice that is named twice (%i bytes)', async (length) => {
      const { store } = await open();
      const [one, other] = [blobOf(1, length), blobOf(2, length)];
      await store.put([one, other]);
      const found = await store.get([one.key, other.key, one.key]);
      expect(found).toEqual([one, other, one].map(({ bytes }) => Buffer.from(bytes)));
    });

    test.each(LENGTHS)('returns a part of a blob of %i bytes', async (length) => {
      const { store } = await open();
      const { key, bytes } = blobOf(1, length);
      await store.put([{ key, bytes }]);
      for (const [from, to] of [
        [0, length],
        [0, 1],
        [7, 29],
        [length - 1, length],
      ] as const) {
        expect(Buffer.from((await store.part(key, from, to))!)).toEqual(Buffer.from(bytes.subarray(from, to)));
      }
      expect(await store.part(blobOf(2, length).key, 0, 1)).toBeUndefined();
    });

    test.each(LENGTHS)('returns no blob of another size than %i', async (length) => {
      const { store } = await open();
      const { key, bytes } = blobOf(1, length);
      await store.put([{ key, bytes }]);
      expect(await store.get([{ ...key, size: length + 1 }])).toEqual([undefined]);
    });

    test.each(LENGTHS)('separates blobs of one digest in two accounts (%i bytes)', async (length) => {
      const { store } = await open();
      const mine = blobOf(1, length);
      const theirs: KeyedBlob = {
        key: { ...mine.key, accountId: 'acc_other', chunkId: 2 },
        bytes: new Uint8Array(randomBytes(length)),
      };
      await store.put([mine]);
      await store.put([theirs]);
      const [first, second] = await store.get([mine.key, theirs.key]);
      expect(first).toEqual(Buffer.from(mine.bytes));
      expect(second).toEqual(Buffer.from(theirs.bytes));
    });

    test.each(LENGTHS)('allows an uncounted blob of %i bytes to be put again', async (length) => {
      const { store } = await open();
      const { key } = blobOf(1, length);
      const again = new Uint8Array(randomBytes(length));
      await store.put([blobOf(1, length)]);
      await store.put([{ key, bytes: again }]);
      expect(await store.get([key])).toEqual([Buffer.from(again)]);
    });

    test.each(LENGTHS)('receives %i bytes in pieces, and stores them only when they are kept', async (length) => {
      const { store } = await open();
      const { key, bytes } = blobOf(1, length);
      const received = await store.receive(key, inPieces(bytes));
      expect(await store.get([key])).toEqual([undefined]);
      await received.keep();
      expect(await store.get([key])).toEqual([Buffer.from(bytes)]);
    });

    test.each(LENGTHS)('drops %i bytes that were discarded', async (length) => {
      const { store } = await open();
      const { key, bytes } = blobOf(1, length);
      await (await store.receive(key, inPieces(bytes))).discard();
      expect(await store.get([key])).toEqual([undefined]);
    });

    test.each(LENGTHS.flatMap((length) => [-1, 1].map((by) => [length, by] as const)))(
      'refuses a body that is not of %i bytes but %i more',
      async (length, by) => {
        const { store } = await open();
        const { key } = blobOf(1, length);
        const body = inPieces(new Uint8Array(length + by));
        await expect(store.receive(key, body)).rejects.toThrow(BlobLengthError);
        expect(await store.get([key])).toEqual([undefined]);
      },
    );

    test('throws the error of a body that breaks off', async () => {
      const { store } = await open();
      const { key, bytes } = blobOf(1, 500_000);
      await expect(store.receive(key, brokenOff(bytes))).rejects.toThrow('connection lost');
      expect(await store.get([key])).toEqual([undefined]);
    });

    test.each(LENGTHS)(
      'deletes a blob of %i bytes for any announced size, and ignores a missing one',
      async (length) => {
        const { store } = await open();
        const blob = blobOf(1, length);
        const other = blobOf(2, length);
        await store.put([blob, other]);
        await store.delete([{ ...blob.key, size: 0 }, blobOf(3, 50).key]);
        expect(await store.get([blob.key, other.key])).toEqual([undefined, Buffer.from(other.bytes)]);
        await store.flush();
      },
    );

    test('flushes during concurrent puts', async () => {
      const { store, reopen } = await open();
      const blobs = Array.from({ length: 40 }, (_, index) => blobOf(index + 1, index % 2 === 0 ? 900 : 140_000));
      await Promise.all(blobs.flatMap((blob) => [store.put([blob]), store.flush()]));
      await store.flush();
      const found = await (await reopen()).get(blobs.map(({ key }) => key));
      expect(found).toEqual(blobs.map(({ bytes }) => Buffer.from(bytes)));
    });

    test('flushes during concurrent deletions', async () => {
      const { store, reopen } = await open();
      const blobs = Array.from({ length: 40 }, (_, index) => blobOf(index + 1, index % 2 === 0 ? 900 : 140_000));
      const stays = new Set(blobs.slice(0, 10));
      await store.put(blobs);
      await Promise.all([store.flush(), store.delete(blobs.slice(10).map(({ key }) => key))]);
      await store.flush();
      const found = await (await reopen()).get(blobs.map(({ key }) => key));
      expect(found).toEqual(blobs.map((blob) => (stays.has(blob) ? Buffer.from(blob.bytes) : undefined)));
    });
  });
}

export function blobOf(chunkId: number, length: number): KeyedBlob {
  const key: BlobKey = {
    accountId: 'acc_test',
    chunkId,
    digest: createHash('sha256').update(`${chunkId}:${length}`).digest('hex'),
    size: length,
  };
  return { key, bytes: new Uint8Array(randomBytes(length)) };
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += 50_000) yield bytes.subarray(offset, offset + 50_000);
}

async function* brokenOff(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, bytes.length / 2);
  throw new Error('connection lost');
}
