import { createHash, randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Capability } from '../../../../../src/protocol/extensions.ts';
import { HoldfastError } from '../../../../../src/base/errors/errors.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import { RestoreWorld } from '../../../../helpers/memory-service/restore-world.ts';
import { compareTrees } from '../../../../helpers/tree/compare.ts';

const KNOWN = 'content that somebody else has, too';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(async () => {
  world = new RestoreWorld(pool);
  world.service.offered = new Set<Capability>(['backup.compression', 'backup.open', 'backup.check']);
  writeFileSync(join(world.source, 'other'), 'something else');
  writeFileSync(join(world.source, 'known'), KNOWN);
  await world.backup();
  rmSync(join(world.source, 'known'));
  await world.backup();
  world.service.downloads.length = 0;
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

/** Replaces the blob by other bytes of its length, as a stolen device key can store them first. */
function storeJunk(): void {
  const name = `sha256:${createHash('sha256').update(KNOWN).digest('hex')}`;
  world.service.blobs.set(name, randomBytes(world.service.blobs.get(name)!.length));
}

function writeKnown(): void {
  writeFileSync(join(world.source, 'copy'), KNOWN);
}

async function expectWhole(): Promise<void> {
  expect((await world.verify()).failures).toEqual([]);
  rmSync(world.target, { recursive: true, force: true });
  expect(await world.restore()).toMatchObject({ failures: [], warnings: [] });
  expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
}

describe('a chunk that the service had already', () => {
  test('is stored under other names when it holds something else', async () => {
    storeJunk();
    writeKnown();
    expect(await world.backup()).toMatchObject({ warnings: [] });
    await expectWhole();
  });

  test('is read once when it is right', async () => {
    writeKnown();
    expect(await world.backup()).toMatchObject({ warnings: [] });
    expect(world.service.downloads).toHaveLength(1);
    await expectWhole();
  });

  test('is not read when this run uploaded everything, or the service has no such extension', async () => {
    writeFileSync(join(world.source, 'new'), 'new content');
    await world.backup();
    expect(world.service.downloads).toEqual([]);
    world.service.offered = new Set<Capability>(['backup.compression', 'backup.open']);
    writeKnown();
    await world.backup();
    expect(world.service.downloads).toEqual([]);
  });

  test('fails no backup when it cannot be read', async () => {
    writeKnown();
    world.service.beforeDownload = () => {
      throw new HoldfastError('permission_denied', {});
    };
    expect(await world.backup()).toMatchObject({ warnings: [] });
    world.service.beforeDownload = () => {
      throw new HoldfastError('interrupted', {});
    };
    writeFileSync(join(world.source, 'copy 2'), KNOWN);
    await expect(world.backup()).rejects.toMatchObject({ code: 'interrupted' });
  });

  test('belongs to a sample of bounded size', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `${index}`);
    for (const name of names) writeFileSync(join(world.source, name), `content ${name}`);
    await world.backup();
    for (const name of names) rmSync(join(world.source, name));
    await world.backup();
    for (const name of names) writeFileSync(join(world.source, `copy of ${name}`), `content ${name}`);
    world.service.downloads.length = 0;
    await world.backup();
    expect(new Set(world.service.downloads).size).toBe(8);
  });
});
