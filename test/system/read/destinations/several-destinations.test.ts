import { createCipheriv, createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { CombinedDownloader } from '../../../../src/read/destinations/combined-downloader.ts';
import { readChunksOf } from '../../../../src/read/destinations/restore-sessions.ts';
import { listEntries } from '../../../../src/read/list.ts';
import type { RestoreReport } from '../../../../src/restore/types.ts';
import { verifyRestorePoint } from '../../../../src/restore/verify/verify.ts';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { MemoryService } from '../../../helpers/memory-service/memory-service.ts';
import { DEVICE, RestoreWorld, SET } from '../../../helpers/memory-service/restore-world.ts';
import { compareTrees } from '../../../helpers/tree/compare.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

function hashOf(data: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

/** A service with the same restore points and blobs. */
function copyOf(service: MemoryService): MemoryService {
  const copy = new MemoryService();
  for (const [hash, bytes] of service.blobs) copy.blobs.set(hash, bytes);
  return Object.assign(copy, { points: [...service.points], time: service.time, offered: service.offered });
}

function downloaderWith(second: MemoryService): CombinedDownloader {
  const source = { deviceId: DEVICE, backupSet: SET, at: 'latest' } as const;
  const open = async () => readChunksOf(source, { service: second, downloader: second });
  const first = { name: 'disk', downloader: world.service };
  return new CombinedDownloader({ first, others: [{ name: 'bucket', open }], clock: systemClock });
}

function restoreWith(second: MemoryService): Promise<RestoreReport> {
  return world.restore({}, { dependencies: { downloader: downloaderWith(second) } });
}

/** Many small files, one of several parts, and one that repeats its chunks. */
function writeSource(): void {
  mkdirSync(join(world.source, 'folder'));
  for (let number = 0; number < 60; number += 1) {
    writeFileSync(join(world.source, 'folder', `file-${number}`), `content ${number} `.repeat(number * 10));
  }
  const cipher = createCipheriv('aes-256-ctr', Buffer.alloc(32, 1), Buffer.alloc(16));
  const large = cipher.update(Buffer.alloc(24 * 2 ** 20));
  writeFileSync(join(world.source, 'large'), large);
  writeFileSync(join(world.source, 'twice'), Buffer.concat([large.subarray(0, 5 * 2 ** 20), large]));
}

/** Some of the blobs, always the same. */
function chosen(blobs: Iterable<string>, share: number): readonly string[] {
  return [...blobs].toSorted().filter((_, index) => index % share === 0);
}

describe('a restore from several destinations', () => {
  test('is complete when either lacks or damages what the other has', async () => {
    writeSource();
    await world.backup();
    const second = copyOf(world.service);
    const tree = world.service.points[0]!.files.find(({ path }) => path === '/.holdfast/tree')!.chunks;
    const [piece, footer] = [tree[0]!, tree.at(-1)!];
    const hashes = [...world.service.blobs.keys()].filter((hash) => hash !== piece && hash !== footer);
    const damaged = new Set(chosen(hashes, 2));
    const missing = hashes.filter((hash) => !damaged.has(hash)).filter((_, index) => index % 3 === 0);
    for (const hash of [...missing, piece]) world.service.blobs.delete(hash);
    world.service.tamper = (hash, bytes) => (damaged.has(hash) ? bytes?.with(-1, 255 - bytes.at(-1)!) : bytes);
    for (const hash of hashes) if (!damaged.has(hash) && !missing.includes(hash)) second.blobs.delete(hash);

    const report = await restoreWith(second);
    expect(report.failures).toEqual([]);
    expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
    expect(report.sources!.map(({ destination }) => destination)).toEqual(['disk', 'bucket']);
    // The next backup stores what the disk has damaged under other names.
    const recorded = world.catalog.entries.damaged.digests()!;
    expect([...recorded].map((digest) => `sha256:${digest.toString('hex')}`).toSorted()).toEqual(
      [...damaged].filter((hash) => world.service.downloads.includes(hash)).toSorted(),
    );
  });

  test('continues from the other when the first is unplugged in the middle', async () => {
    writeSource();
    await world.backup();
    const second = copyOf(world.service);
    let calls = 0;
    world.service.beforeDownload = () => {
      calls += 1;
      if (calls > 4) throw new Error('unplugged');
    };
    const report = await restoreWith(second);
    expect(calls).toBeGreaterThan(4);
    expect(report.failures).toEqual([]);
    expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
  });

  test('names the same failures when the other lies as without it', async () => {
    const contents = ['one', 'two', 'three'];
    for (const content of contents) writeFileSync(join(world.source, content), content);
    await world.backup();
    const second = copyOf(world.service);
    second.tamper = (_hash, bytes) => bytes && Buffer.alloc(bytes.length, 1);
    world.service.blobs.delete(hashOf('one'));
    // Damaged on its way twice.
    world.service.tamper = (hash, bytes, count) =>
      hash === hashOf('two') && count < 3 ? bytes && Buffer.alloc(bytes.length) : bytes;
    const report = await restoreWith(second);
    expect(report.failures.map(({ path, chunk }) => ({ path, chunk }))).toEqual([
      { path: join(world.source, 'one'), chunk: hashOf('one') },
    ]);
    expect(readFileSync(join(world.target, 'source', 'two'), 'utf8')).toBe('two');
  });

  test('does not open the other when the first has everything', async () => {
    writeSource();
    await world.backup();
    const second = copyOf(world.service);
    const report = await restoreWith(second);
    expect(second.requests).toEqual([]);
    expect(report).not.toHaveProperty('sources');
  });

  test('finds a chunk in another restore point of a service', async () => {
    writeFileSync(join(world.source, 'a'), 'old');
    await world.backup();
    writeFileSync(join(world.source, 'a'), 'new content');
    await world.backup();
    world.service.offered = new Set(['restore_points'] as const);
    const second = copyOf(world.service);
    // The nearest one there has been removed.
    second.points = second.points.slice(1);
    world.service.blobs.delete(hashOf('old'));
    const asked: string[] = [];
    second.beforeDownload = (hashes) => void asked.push(...hashes);
    const at = world.service.points[1]!.time;
    const report = await world.restore({ source: { at } }, { dependencies: { downloader: downloaderWith(second) } });
    expect(report.failures).toEqual([]);
    expect(readFileSync(join(world.target, 'source', 'a'), 'utf8')).toBe('old');
    expect(asked).toEqual([hashOf('old')]);
  });

  test('asks a service only for chunks of its manifests, of at most four restore points', async () => {
    for (let number = 0; number < 6; number += 1) {
      writeFileSync(join(world.source, 'a'), `content ${number}`);
      await world.backup();
    }
    world.service.offered = new Set(['restore_points'] as const);
    const second = copyOf(world.service);
    world.service.blobs.delete(hashOf('content 0'));
    world.service.blobs.delete(hashOf('content 5'));
    const downloader = downloaderWith(second);
    const delivered: string[] = [];
    const wanted = [0, 1, 2, 5].map((number) => hashOf(`content ${number}`));
    for (const hash of wanted) world.service.blobs.delete(hash);
    await downloader.download('session', wanted, (hash, bytes) => void (bytes && delivered.push(hash)));
    // Nearest to the newest are those of 5, 4, 3 and 2.
    expect(delivered).toEqual([hashOf('content 5'), hashOf('content 2')]);
    expect(second.requests).toHaveLength(4);
  });

  test('also serves a verification and a list', async () => {
    writeSource();
    await world.backup();
    const second = copyOf(world.service);
    for (const hash of chosen(world.service.blobs.keys(), 3)) world.service.blobs.delete(hash);
    const tree = world.service.points[0]!.files.find(({ path }) => path === '/.holdfast/tree')!.chunks;
    for (const hash of tree) world.service.blobs.delete(hash);
    const source = { deviceId: DEVICE, backupSet: SET, at: 'latest' } as const;
    const dependencies = { ...world.dependencies, downloader: downloaderWith(second) };
    const report = await verifyRestorePoint({ source, samplePercent: 100 }, dependencies);
    expect(report).toMatchObject({ failures: [], filesChecked: 62 });
    expect(report.sources).toHaveLength(2);
    let listed = 0;
    for await (const entries of listEntries({ source, path: '', recursive: true }, dependencies)) {
      listed += entries.length;
    }
    expect(listed).toBe(64);
  });
});
