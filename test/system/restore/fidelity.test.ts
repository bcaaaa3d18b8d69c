import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { PYTHON } from '../../helpers/debian-python.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { directory, file, hardLink } from '../../helpers/tree/nodes.ts';
import { oddTree } from '../../helpers/tree/odd-tree.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

/** Open descriptors of this process below a folder. */
function handlesBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((handle) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${handle}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // The descriptor that listed them.
      return [];
    }
  });
}

/** Descends by changing directories, since the path is too long, and prints the content of the last file. */
const READ_DEEPEST = `
import os, sys
os.chdir(sys.argv[1])
while True:
    names = os.listdir('.')
    assert len(names) == 1, names
    if os.path.isdir(names[0]): os.chdir(names[0])
    else: break
print(open(names[0]).read(), len(os.getcwd()) + 1 + len(names[0]))
`;

describe('restore of unusual files', () => {
  test.each([false, true])('equals the source (private names: %s)', async (privateNames) => {
    await buildTree(world.source, oddTree(world.source));
    await world.backup({ privateNames });
    const report = await world.restore();
    expect(report.failures).toEqual([]);
    expect(report.warnings).toEqual([]);
    expect(await compareTrees(world.source, join(world.target, 'source'), { withoutSpecial: true })).toEqual([]);
    expect(handlesBelow(world.target)).toEqual([]);
    const again = await world.restore({ conflict: 'overwrite' });
    expect(again).toMatchObject({ failures: [], warnings: [], filesRestored: report.filesRestored });
    expect(await compareTrees(world.source, join(world.target, 'source'), { withoutSpecial: true })).toEqual([]);
  });

  test('restores entries whose path exceeds the maximum length', async () => {
    const nested = (depth: number): ReturnType<typeof directory> =>
      directory({ ['d'.repeat(200)]: depth === 0 ? file('far down') : nested(depth - 1) });
    await buildTree(world.source, nested(17));
    await world.backup();
    const to = join(world.folder, 't'.repeat(250), 'u'.repeat(250), 'v'.repeat(250));
    expect(await world.restore({ to })).toMatchObject({ failures: [], filesRestored: 1 });
    const [text, length] = execFileSync(PYTHON, ['-c', READ_DEEPEST, to])
      .toString()
      .split(/ (?=\d)/);
    expect(text).toBe('far down');
    expect(Number(length)).toBeGreaterThan(4200);
    expect(await world.restore({ to, conflict: 'skip' })).toMatchObject({ filesSkipped: 1, failures: [] });
    // Node's own removal uses the full path.
    execFileSync('rm', ['-rf', to]);
  });

  test('writes only sparse files with holes', async () => {
    const size = 16 * 2 ** 20;
    await buildTree(world.source, {
      sparse: file({ sparseSize: size, data: { [5 * 2 ** 20]: 'data', [size - 1]: 'x' } }),
      zeroes: file(new Uint8Array(size)),
    });
    await world.backup();
    await world.restore();
    const restored = (name: string): number => statSync(join(world.target, 'source', name)).blocks * 512;
    expect(restored('sparse')).toBeLessThan(64 * 1024);
    expect(restored('zeroes')).toBeGreaterThanOrEqual(size);
    expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
  });

  test('writes the data under another name when the first name of a file is skipped', async () => {
    await buildTree(world.source, { first: file('one file'), second: hardLink('first'), third: hardLink('first') });
    await world.backup();
    mkdirSync(join(world.target, 'source'), { recursive: true });
    await buildTree(join(world.target, 'source'), { first: file('mine') });
    const report = await world.restore({ conflict: 'skip' });
    expect(report).toMatchObject({ filesRestored: 2, filesSkipped: 1, failures: [] });
    const [first, second, third] = ['first', 'second', 'third'].map((name) =>
      lstatSync(join(world.target, 'source', name)),
    );
    expect(second!.ino).toBe(third!.ino);
    expect([first!.size, second!.size, second!.nlink]).toEqual([4, 8, 2]);
  });
});
