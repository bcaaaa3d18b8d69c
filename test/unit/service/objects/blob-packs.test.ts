import BetterSqlite from 'better-sqlite3';
import fc from 'fast-check';
import { createHash, randomBytes } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BlobPacks, type BlobPacksOptions } from '../../../../src/service/objects/folder/blob-packs.ts';
import type { KeyedBlob } from '../../../../src/service/objects/object-store.ts';
import { temporaryDirectory } from '../harness.ts';
import { recordedSyncs } from './recorded-syncs.ts';

const PACK_BYTES = 10_000;

async function store() {
  const directory = await temporaryDirectory();
  const file = join(directory, 'blobs.sqlite');
  const folder = join(directory, 'packs');
  await mkdir(folder);
  const open = (options: BlobPacksOptions = {}) => new BlobPacks(file, folder, { packBytes: PACK_BYTES, ...options });
  const opened = (options: BlobPacksOptions = {}) => {
    const packs = open(options);
    onTestFinished(() => packs.close());
    return packs;
  };
  const sizes = async () =>
    Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  return { file, folder, open, opened, sizes };
}

function blob(chunkId: number, length: number): KeyedBlob {
  const digest = createHash('sha256').update(`${chunkId}`).digest('hex');
  return { key: { accountId: 'acc', chunkId, digest, size: length }, bytes: randomBytes(length) };
}

const get = (packs: BlobPacks, blobs: readonly KeyedBlob[]) => packs.get(blobs.map(({ key }) => key));
const asBuffer = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes);
const bytesOf = (blobs: readonly KeyedBlob[]) => blobs.map(({ bytes }) => Buffer.from(bytes));

test('writes records of length, digest and blob', async () => {
  const { folder, opened } = await store();
  const blobs = [blob(1, 29), blob(2, 500), blob(3, 1)];
  const packs = opened();
  packs.put(blobs.slice(0, 2));
  packs.put(blobs.slice(2));
  const bytes = await readFile(join(folder, '1.pack'));
  let offset = 0;
  for (const { key, bytes: wanted } of blobs) {
    expect(bytes.readUInt32BE(offset)).toBe(key.size);
    expect(bytes.subarray(offset + 4, offset + 36).toString('hex')).toBe(key.digest);
    expect(bytes.subarray(offset + 36, offset + 36 + key.size)).toEqual(Buffer.from(wanted));
    offset += 36 + key.size;
  }
  expect(bytes).toHaveLength(offset);
});

test('fills packs to about the same size, and flushes each of them', async () => {
  const { sizes, open, opened } = await store();
  const blobs = Array.from({ length: 100 }, (_, index) => blob(index + 1, 964));
  const packs = open();
  const flushes: Promise<void>[] = [];
  for (const one of blobs) {
    packs.put([one]);
    flushes.push(packs.flush());
  }
  await Promise.all(flushes);
  packs.close();
  expect(await sizes()).toEqual(Array.from({ length: 10 }, () => 10_000));
  expect(get(opened(), blobs)).toEqual(bytesOf(blobs));
});

test('overwrites what a process left behind the last blob', async () => {
  const { folder, open, opened } = await store();
  const [one, two] = [blob(1, 100), blob(2, 200)];
  const first = open();
  first.put([one]);
  first.close();
  await appendFile(join(folder, '1.pack'), Buffer.alloc(1_000, 7));
  const packs = opened();
  packs.put([two]);
  expect(get(packs, [one, two])).toEqual(bytesOf([one, two]));
});

test('returns no truncated blob', async () => {
  const { folder, opened } = await store();
  const packs = opened();
  const [one, two] = [blob(1, 100), blob(2, 200)];
  packs.put([one, two]);
  await truncate(join(folder, '1.pack'), 36 + 100 + 36 + 199);
  expect(get(packs, [one, two])).toEqual([Buffer.from(one.bytes), undefined]);
});

test('frees space, and keeps the rest readable for all processes with open packs', async () => {
  const { sizes, opened } = await store();
  const blobs = Array.from({ length: 30 }, (_, index) => blob(index + 1, 964));
  const packs = opened();
  const other = opened();
  packs.put(blobs.slice(0, 10));
  packs.put(blobs.slice(10));
  expect(get(other, blobs)).toEqual(bytesOf(blobs));
  await packs.delete(blobs.slice(0, 9).map(({ key }) => key));
  expect(await sizes()).toHaveLength(2);
  expect(get(other, blobs.slice(9))).toEqual(bytesOf(blobs.slice(9)));
  expect(get(packs, blobs)).toEqual([...Array.from({ length: 9 }, () => undefined), ...bytesOf(blobs.slice(9))]);
  await packs.delete(blobs.map(({ key }) => key));
  expect(await sizes()).toEqual([]);
  const again = blob(31, 50);
  other.put([again]);
  expect(get(packs, [again])).toEqual(bytesOf([again]));
});

test('overwrites deleted blobs with their digests in a pack that stays, also those that a killed process left', async () => {
  const { file, folder, open, opened } = await store();
  const blobs = [blob(1, 100), blob(2, 200), blob(3, 300), blob(4, 4_000)];
  const packs = open();
  packs.put(blobs);
  const pack = join(folder, '1.pack');
  const before = await readFile(pack);
  await packs.delete([blobs[1]!.key]);
  const zeros = (from: number, to: number) => Buffer.concat([before.subarray(0, from), Buffer.alloc(to - from)]);
  expect(await readFile(pack)).toEqual(Buffer.concat([zeros(136, 372), before.subarray(372)]));
  expect(get(packs, blobs)).toEqual([blobs[0]!.bytes, undefined, blobs[2]!.bytes, blobs[3]!.bytes].map(asBuffer));
  packs.close();
  // As a process leaves it that ends between the two.
  const index = new BetterSqlite(file);
  index.exec('DELETE FROM packed WHERE chunk_id = 3; INSERT INTO deleted VALUES (1, 372, 336, 0)');
  index.close();
  await opened().delete([blobs[0]!.key]);
  const rest = await readFile(pack);
  expect(rest.subarray(0, 708)).toEqual(Buffer.alloc(708));
  expect(rest.subarray(708)).toEqual(before.subarray(708));
});

test('overwrites every copy of a blob that was stored twice', async () => {
  const { folder, opened } = await store();
  const [twice, other] = [blob(1, 200), blob(2, 4_000)];
  const packs = opened();
  packs.put([twice, other]);
  packs.put([twice]);
  await packs.delete([twice.key]);
  const bytes = await readFile(join(folder, '1.pack'));
  expect(bytes.includes(Buffer.from(twice.bytes))).toBe(false);
  expect(bytes.includes(Buffer.from(twice.key.digest, 'hex'))).toBe(false);
  expect(get(packs, [twice, other])).toEqual([undefined, asBuffer(other.bytes)]);
});

test('does not make a pack longer that was cut off', async () => {
  const { folder, opened } = await store();
  const blobs = [blob(1, 4_000), blob(2, 300), blob(3, 100)];
  const packs = opened();
  packs.put(blobs);
  await truncate(join(folder, '1.pack'), 4_136);
  await packs.delete([blobs[2]!.key, blobs[1]!.key]);
  expect((await stat(join(folder, '1.pack'))).size).toBe(4_136);
  expect(get(packs, blobs)[0]).toEqual(asBuffer(blobs[0]!.bytes));
});

test('deletes a pack of tiny blobs with the last of them', async () => {
  const { sizes, opened } = await store();
  const blobs = Array.from({ length: 5 }, (_, index) => blob(index + 1, 1));
  const packs = opened();
  packs.put(blobs);
  await packs.delete(blobs.map(({ key }) => key));
  expect(await sizes()).toEqual([]);
});

test('keeps a pack that cannot be read completely', async () => {
  const { folder, opened } = await store();
  const blobs = Array.from({ length: 10 }, (_, index) => blob(index + 1, 964));
  const packs = opened();
  packs.put(blobs);
  await truncate(join(folder, '1.pack'), 9_999);
  await packs.delete(blobs.slice(0, 8).map(({ key }) => key));
  expect(await readdir(folder)).toContain('1.pack');
  expect(get(packs, blobs.slice(8))).toEqual([Buffer.from(blobs[8]!.bytes), undefined]);
});

test('deletes a pack only when the blobs that another process moved out of it are durable', async () => {
  const { folder, opened } = await store();
  const blobs = Array.from({ length: 20 }, (_, index) => blob(index + 1, 964));
  // Simulates a kill between the move and the flush.
  let isKilled = false;
  const first = opened({ sync: () => (isKilled ? new Promise(() => undefined) : Promise.resolve()) });
  first.put(blobs.slice(0, 10));
  first.put(blobs.slice(10));
  await first.flush();
  isKilled = true;
  const [kept, gone] = [blobs.slice(0, 4), blobs.slice(4, 10)];
  void first.delete(gone.map(({ key }) => key));
  const copy = join(folder, '3.pack');
  await expect
    .poll(() =>
      stat(copy).then(
        ({ size }) => size,
        () => 0,
      ),
    )
    .toBe(4 * 1000);
  const synced: number[] = [];
  const sync = async (fd: number): Promise<void> => {
    synced.push(fstatSync(fd).ino);
    expect(await readdir(folder)).toContain('1.pack');
  };
  const second = opened({ sync });
  await second.delete([blobs[10]!.key]);
  expect(synced).toContain((await stat(copy)).ino);
  expect(await readdir(folder)).not.toContain('1.pack');
  expect(get(second, kept)).toEqual(bytesOf(kept));
});

test('deletes a pack only when its copies and their index are durable', async () => {
  const { file, folder, opened } = await store();
  const blobs = Array.from({ length: 10 }, (_, index) => blob(index + 1, 964));
  const packs = opened();
  packs.put(blobs);
  await packs.flush();
  using syncs = recordedSyncs();
  await packs.delete(blobs.slice(0, 6).map(({ key }) => key));
  const deleted = syncs.events.indexOf('unlink 1.pack');
  expect(deleted).toBeGreaterThan(0);
  const before = syncs.events.slice(0, deleted);
  expect(before).toEqual(expect.arrayContaining([`sync ${file}-wal`, `sync ${folder}`]));
});

test.skipIf(process.platform === 'win32')('makes packs that only its owner can read', async () => {
  const { folder, opened } = await store();
  const packs = opened();
  const mask = process.umask(0);
  try {
    packs.put([blob(1, 100)]);
  } finally {
    process.umask(mask);
  }
  expect((await stat(join(folder, '1.pack'))).mode & 0o777).toBe(0o600);
});

test('keeps a pack if syncing the copies failed, even if it succeeds later', async () => {
  const { folder, opened } = await store();
  const blobs = Array.from({ length: 10 }, (_, index) => blob(index + 1, 964));
  let answers: (Error | undefined)[] = [];
  const packs = opened({
    sync: () => {
      const failure = answers.shift();
      return failure ? Promise.reject(failure) : Promise.resolve();
    },
  });
  packs.put(blobs);
  await packs.flush();
  answers = [Object.assign(new Error('the disk'), { code: 'EIO' })];
  await expect(packs.delete(blobs.slice(0, 6).map(({ key }) => key))).rejects.toMatchObject({ code: 'EIO' });
  await packs.delete([blobs[6]!.key]);
  expect(await readdir(folder)).toContain('1.pack');
});

test('returns no blob of another size, and stores a blob again after it was deleted', async () => {
  const { opened } = await store();
  const [one, two, three] = [blob(1, 100), blob(2, 200), blob(3, 300)];
  const packs = opened();
  packs.put([one, two, three]);
  const found = packs.get([one.key, { ...two.key, size: 201 }, two.key, three.key]);
  expect(found).toEqual([Buffer.from(one.bytes), undefined, ...bytesOf([two, three])]);
  await packs.delete([one.key]);
  const again = { ...two, bytes: randomBytes(200) };
  packs.put([again]);
  expect(get(packs, [one, two])).toEqual([undefined, Buffer.from(again.bytes)]);
});

type Step =
  | { readonly kind: 'put'; readonly lengths: readonly number[]; readonly again: number | undefined }
  | { readonly kind: 'delete'; readonly share: number }
  | { readonly kind: 'flush' | 'reopen' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    lengths: fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 8 }),
    again: fc.option(fc.nat(), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant('delete' as const), share: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constantFrom('flush' as const, 'reopen' as const) }),
);

test('has the blobs that were put and not deleted, and little more', { timeout: 120_000 }, () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { folder, open, sizes } = await store();
      let packs = open();
      const model = new Map<number, KeyedBlob>();
      let last = 0;
      const fresh = (length: number): KeyedBlob => blob((last += 1), length);
      for (const one of steps) {
        if (one.kind === 'put') {
          const blobs = one.lengths.map(fresh);
          const kept = [...model.values()];
          const old = one.again === undefined ? undefined : kept[one.again % kept.length];
          if (old) blobs.push({ ...old, bytes: randomBytes(old.key.size) });
          packs.put(blobs);
          for (const put of blobs) model.set(put.key.chunkId, put);
        } else if (one.kind === 'delete') {
          const gone = [...model.values()].filter(({ key }) => key.chunkId % one.share === 0).map(({ key }) => key);
          await packs.delete(gone);
          for (const { chunkId } of gone) model.delete(chunkId);
        } else if (one.kind === 'flush') await packs.flush();
        else {
          packs.close();
          packs = open();
        }
        const wanted = [...model.values()];
        expect(get(packs, wanted)).toEqual(bytesOf(wanted));
      }
      await packs.delete([...model.values()].map(({ key }) => key));
      if (model.size > 0) expect([await readdir(folder), await sizes()]).toEqual([[], []]);
      packs.close();
    }),
    { numRuns: 100 },
  ),
);

test('frees the space of deleted blobs in the index', async () => {
  const { file, opened } = await store();
  const packs = opened();
  const blobs = Array.from({ length: 5_000 }, (_, index) => blob(index + 1, 10));
  packs.put(blobs);
  const pages = () => {
    const index = new BetterSqlite(file, { readonly: true });
    const count = index.pragma('page_count', { simple: true }) as number;
    index.close();
    return count;
  };
  const before = pages();
  await packs.delete(blobs.slice(10).map(({ key }) => key));
  expect(pages()).toBeLessThan(before / 2);
  expect(get(packs, blobs.slice(0, 10))).toEqual(bytesOf(blobs.slice(0, 10)));
});
