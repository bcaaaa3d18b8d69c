import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { FileHistory } from '../../../src/history/file-history.ts';
import { fillSource } from '../../../src/history/fill/fill-source.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { DEVICE, RestoreWorld, SET } from '../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

test('a restore point that is removed after it was listed is not added with the tree of the one before', async () => {
  const { service } = world;
  service.offered = new Set([...service.offered, 'restore_points']);
  for (let run = 1; run <= 3; run += 1) await world.backup();
  const list = service.restorePoints.bind(service);
  service.restorePoints = async (...words) => {
    const listed = await list(...words);
    service.points.shift();
    return listed;
  };
  using history = new FileHistory(join(world.folder, 'history.sqlite'));
  const reference = { destination: 'd', device: DEVICE, set: SET };
  await fillSource(history, reference, world.dependencies, { now: world.clock.now() });
  const [source] = history.points.sources();
  expect(history.points.all(source!.id)).toMatchObject([{ state: 'known' }, { state: 'known' }]);
});
