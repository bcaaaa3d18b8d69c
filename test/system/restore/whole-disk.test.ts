import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

/** Patterns that exclude everything of a whole disk but one folder and those above it. */
function nothingBut(folder: string): string[] {
  const way: string[] = [];
  for (let path = folder; path !== '/'; path = dirname(path)) way.unshift(path);
  return way.flatMap((path) => [join(dirname(path), '*'), `!${path}`]);
}

test('restores a whole disk, completely or in part', async () => {
  writeFileSync(join(world.source, 'a'), 'content');
  mkdirSync(join(world.source, 'x'));
  symlinkSync('a', join(world.source, 'link'));
  const excludes = nothingBut(world.source);
  expect(await world.backup({ roots: ['/'], excludes })).toMatchObject({ filesProcessed: 1, warnings: [] });
  writeFileSync(join(world.source, 'x', 'b'), 'more');
  expect(await world.backup({ roots: ['/'], excludes })).toMatchObject({ filesProcessed: 2, warnings: [] });
  expect(await world.restore()).toMatchObject({ failures: [], filesRestored: 2 });
  expect(await compareTrees(world.source, join(world.target, world.source))).toEqual([]);
  const part = join(world.folder, 'part');
  expect(await world.restore({ paths: [join(world.source, 'x')], to: part })).toMatchObject({ filesRestored: 1 });
  expect(readFileSync(join(part, 'x', 'b'), 'utf8')).toBe('more');
  expect(await world.verify()).toMatchObject({ failures: [], filesChecked: 2 });
});
