import { createCipheriv, createHash } from 'node:crypto';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

const hashOf = (data: string | Uint8Array): string => `sha256:${createHash('sha256').update(data).digest('hex')}`;

let seconds = 1000;
/** Writes a file with a time of its own, so that the next backup reads it. */
function put(name: string, data: string | Uint8Array): string {
  const path = join(world.source, name);
  writeFileSync(path, data);
  seconds += 1;
  utimesSync(path, seconds, seconds);
  return path;
}

function seeded(size: number, seed: number): Buffer {
  return createCipheriv('aes-256-ctr', Buffer.alloc(32, seed), Buffer.alloc(16)).update(Buffer.alloc(size));
}

function damage(...hashes: readonly string[]): void {
  const [one = ''] = hashes;
  expect([...world.service.blobs.keys()]).toContain(one);
  world.service.tamper = (hash, bytes) => {
    if (!hashes.includes(hash)) return bytes;
    const copy = Uint8Array.from(bytes!);
    copy[20]! ^= 1;
    return copy;
  };
}

describe('verification of all restore points', () => {
  test('finds damage in chunks that only earlier restore points have', async () => {
    const path = put('diary', 'the first version');
    put('other', 'unchanged');
    await world.backup();
    put('diary', 'the second version');
    await world.backup();
    damage(hashOf('the first version'));
    expect(await world.verify()).toMatchObject({ failures: [], pointsChecked: 1 });
    expect(await world.verify(100, 'all')).toMatchObject({
      failures: [{ path, chunk: hashOf('the first version'), reason: 'chunk_tampered' }],
      filesDamaged: 1,
      pointsChecked: 2,
    });
  });

  test('names a file that is deleted since', async () => {
    const path = put('deleted', 'what was in it');
    put('kept', 'still there');
    await world.backup();
    rmSync(path);
    await world.backup();
    damage(hashOf('what was in it'));
    expect((await world.verify(100, 'all')).failures).toMatchObject([{ path, reason: 'chunk_tampered' }]);
  });

  test('reads each chunk once, and counts each version of a file', async () => {
    const sizes = [300_000, 70_000, 5000];
    put('large', seeded(sizes[0]!, 1));
    put('changing', seeded(sizes[1]!, 2));
    await world.backup();
    put('changing', seeded(sizes[2]!, 3));
    await world.backup();
    await world.backup();
    world.service.downloads.length = 0;
    const report = await world.verify(100, 'all');
    const wanted = world.service.downloads.filter((hash) => {
      const files = world.service.points.flatMap((point) => point.files);
      return files.some(({ path, chunks }) => path.startsWith(world.source) && chunks.includes(hash));
    });
    expect(new Set(wanted).size).toBe(wanted.length);
    expect(report).toMatchObject({
      pointsChecked: 3,
      filesChecked: 3,
      chunksChecked: wanted.length,
      bytesChecked: sizes[0]! + sizes[1]! + sizes[2]!,
      bytesDownloaded: world.service.downloads.reduce((sum, hash) => sum + world.service.blobs.get(hash)!.length, 0),
      failures: [],
    });
  });

  test('names an earlier restore point that cannot be opened, and goes on with the others', async () => {
    put('a', 'one');
    await world.backup();
    put('a', 'two');
    await world.backup();
    put('a', 'three');
    await world.backup();
    const tree = world.service.points[1]!.files.find(({ path }) => path === '/.holdfast/tree')!;
    damage(tree.chunks.at(-1)!, hashOf('one'));
    const { failures, pointsChecked } = await world.verify(100, 'all');
    expect(pointsChecked).toBe(3);
    expect(failures.map(({ path }) => path)).toEqual(['/.holdfast/tree', join(world.source, 'a')]);
  });
});

test('a sample covers one earlier restore point, too', async () => {
  put('a', 'one');
  await world.backup();
  put('a', 'two');
  await world.backup();
  damage(hashOf('one'));
  expect(await world.verify(99.9999, 'another')).toMatchObject({ pointsChecked: 2, filesDamaged: 1 });
});

test('the figures of one restore point are those of its files', async () => {
  const damaged = ['x', 'y', 'z'].map((name, index) => {
    const content = seeded(6 * 2 ** 20, 10 + index);
    put(name, content);
    return content;
  });
  put('sound', 'sound');
  await world.backup();
  const files = world.service.points[0]!.files.filter(({ path }) => path.startsWith(world.source));
  expect(await world.verify()).toMatchObject({
    filesChecked: 4,
    bytesChecked: damaged.reduce((sum, { length }) => sum + length, 'sound'.length),
    filesDamaged: 0,
  });
  damage(...files.flatMap(({ path, chunks }) => (path.endsWith('sound') ? [] : chunks)));
  const report = await world.verify();
  expect(report).toMatchObject({ filesChecked: 1, filesDamaged: 3 });
  expect(report.failuresTotal).toBeGreaterThan(3);
});
