import { createCipheriv, createHash } from 'node:crypto';
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Catalog } from '../../../../src/catalog/catalog.ts';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { compareTrees } from '../../../helpers/tree/compare.ts';
import { RestoreWorld } from '../../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

const hashOf = (data: string | Uint8Array): string => `sha256:${createHash('sha256').update(data).digest('hex')}`;

function seeded(size: number, seed: number): Buffer {
  return createCipheriv('aes-256-ctr', Buffer.alloc(32, seed), Buffer.alloc(16)).update(Buffer.alloc(size));
}

function put(name: string, data: string | Uint8Array): string {
  const path = join(world.source, name);
  writeFileSync(path, data);
  utimesSync(path, 1000, 1000);
  return path;
}

/** Flips bytes as bit rot does; the length stays the same. */
function rot(hash: string): void {
  const blob = world.service.blobs.get(hash)!;
  blob[20]! ^= 1;
}

const chunksOf = (path: string): readonly string[] =>
  world.service.points[0]!.files.find((file) => file.path === path)!.chunks;

async function expectWhole(): Promise<void> {
  expect((await world.verify()).failures).toEqual([]);
  rmSync(world.target, { recursive: true, force: true });
  expect(await world.restore()).toMatchObject({ failures: [], warnings: [] });
  expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
}

describe('a chunk that a verification found damaged', () => {
  test('is repaired by the next backup, and stays repaired', async () => {
    const large = put('large', seeded(9 * 2 ** 20, 1));
    put('small', 'small one');
    put('twin', 'small one');
    put('calm', 'never damaged');
    await world.backup();
    rot(chunksOf(large)[2]!);
    rot(hashOf('small one'));
    expect((await world.verify()).failures.map(({ path }) => path.slice(world.source.length + 1))).toEqual([
      'large',
      'small',
      'twin',
    ]);
    expect(await world.backup()).toMatchObject({ warnings: [] });
    await expectWhole();
    // After a touch they are read and chunked as in the first run.
    put('large', readFileSync(large));
    put('new', 'small one');
    expect(await world.backup()).toMatchObject({ warnings: [] });
    await expectWhole();
    expect((await world.backup()).chunksNew).toBeLessThanOrEqual(2);
  });

  test('is split elsewhere when a part of it is damaged later', async () => {
    const path = put('file', 'twice unlucky');
    await world.backup();
    for (let time = 1; time <= 3; time += 1) {
      rot(chunksOf(path).at(-1)!);
      expect((await world.verify()).failures).toMatchObject([{ path }]);
      await world.backup();
      await expectWhole();
    }
  });

  test('may belong to the tree or the key envelope', async () => {
    for (let index = 0; index < 50; index += 1) put(`file ${index}`, `content ${index}`);
    await world.backup();
    for (const path of ['/.holdfast/tree', '/.holdfast/keys']) {
      for (let time = 1; time <= 2; time += 1) {
        rot(chunksOf(path)[0]!);
        expect((await world.verify()).failures).toContainEqual(expect.objectContaining({ path }));
        expect(await world.backup()).toMatchObject({ warnings: [] });
        await expectWhole();
      }
    }
  });

  test('causes a warning in each backup when no disk has its content', async () => {
    const path = put('file', 'x');
    put('other', 'whole');
    await world.backup();
    rot(hashOf('x'));
    await world.verify();
    // A single byte cannot be split.
    expect((await world.backup()).warnings).toEqual([{ path, reason: 'chunk_corrupt' }]);
    put('file', 'another content');
    expect((await world.backup()).warnings).toEqual([]);
    await expectWhole();
  });

  test('is recorded by a restore, too', async () => {
    const path = put('file', 'content');
    put('other', 'whole');
    await world.backup();
    rot(hashOf('content'));
    expect(await world.restore()).toMatchObject({ failures: [{ path, reason: 'chunk_tampered' }] });
    await world.backup();
    await expectWhole();
  });

  test('is stored under its own name again once the service has removed it and a backup reads the file again', async () => {
    const path = put('file', 'content');
    put('other', 'whole');
    await world.backup();
    rot(hashOf('content'));
    await world.verify();
    await world.backup();
    expect(world.service.blobs.delete(hashOf('content'))).toBe(true);
    expect((await world.verify(100, 'all')).failures).toMatchObject([{ reason: 'chunk_missing' }]);
    utimesSync(path, 2000, 2000);
    await world.backup();
    expect((await world.verify(100, 'all')).failures).toEqual([]);
  });

  test('is recorded only when the keys are known to be right', async () => {
    const path = put('file', 'content');
    await world.backup();
    world.service.tamper = (_hash, bytes) => bytes && Uint8Array.from(bytes, (byte) => byte ^ 1);
    const own = world.catalog;
    using other = new Catalog(join(world.folder, 'another computer.sqlite'));
    world.catalog = other;
    expect((await world.verify()).failuresTotal).toBeGreaterThan(0);
    expect(other.entries.damaged.digests()).toBeUndefined();
    // This computer made the backup.
    world.catalog = own;
    await world.verify();
    world.service.tamper = undefined;
    await world.backup();
    await expectWhole();
    expect(chunksOf(path)).toHaveLength(2);
  });
});
