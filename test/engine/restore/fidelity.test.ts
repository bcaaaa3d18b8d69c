import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { oddTree } from '../../helpers/tree/odd-tree.ts';

let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

describe('a restore of everything odd', () => {
  it.each([false, true])('equals the source (private names: %s)', async (privateNames) => {
    await buildTree(world.source, oddTree(world.source));
    await world.backup({ privateNames });
    const report = await world.restore();
    expect(report.failures).toEqual([]);
    expect(report.warnings).toEqual([]);
    expect(await compareTrees(world.source, join(world.target, 'source'), { withoutSpecial: true })).toEqual([]);
  });
});
