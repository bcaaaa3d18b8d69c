import { existsSync, fstatSync, readFileSync, truncateSync, writeFileSync, type fdatasync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';
import { replacedFs, systemError } from '../../helpers/replaced-fs.ts';

const SIZE = 12 * 2 ** 20;

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

describe('a large file with a hole at its end', () => {
  beforeEach(async () => {
    const path = join(world.source, 'sparse');
    writeFileSync(path, 'data');
    truncateSync(path, SIZE);
    await world.backup();
  });

  test('has its size, and its data on disk, before it gets its name', async () => {
    const path = join(world.target, 'source', 'sparse');
    const synced: object[] = [];
    using _fs = replacedFs(({ fdatasync }) => ({
      fdatasync: ((file, done) => {
        synced.push({ size: fstatSync(file).size, isNamed: existsSync(path) });
        fdatasync(file, done);
      }) as typeof fdatasync,
    }));
    expect(await world.restore()).toMatchObject({ failures: [], filesRestored: 1 });
    expect(synced).toEqual([{ size: SIZE, isNamed: false }]);
    expect(readFileSync(path).equals(readFileSync(join(world.source, 'sparse')))).toBe(true);
  });

  test('fails when its data cannot be synced', async () => {
    using _fs = replacedFs(() => ({
      fdatasync: ((_file, done) => done(systemError('EIO'))) as typeof fdatasync,
    }));
    const report = await world.restore();
    expect(report.failures).toMatchObject([{ reason: 'target_unwritable', detail: 'EIO' }]);
    expect(existsSync(join(world.target, 'source', 'sparse'))).toBe(false);
  });
});
