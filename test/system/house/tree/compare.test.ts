import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTree } from '../../../helpers/tree/build.ts';
import { compareTrees } from '../../../helpers/tree/compare.ts';
import { directory, fifo, file, hardLink, symlink, type Tree } from '../../../helpers/tree/nodes.ts';
import { oddTree } from '../../../helpers/tree/odd-tree.ts';

/** The comparer that other tests rely on: equal trees compare equal, and every difference is detected. */
const folder = mkdtempSync(join(tmpdir(), 'holdfast-trees-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const original: Tree = {
  'a.txt': file('content', { mode: 0o640, mtimeNs: 1_000_000_000n, xattrs: { 'user.a': 'b' } }),
  link: symlink('a.txt', 5n),
  sparse: file({ sparseSize: 1_000_000, data: { 500_000: 'x' } }, { mtimeNs: 0n }),
  first: file('two names', { mtimeNs: 0n }),
  second: hardLink('first'),
  folder: directory({ 'n\udcff': file('inside', { mtimeNs: 3n }) }, { mtimeNs: 7n, mode: 0o750 }),
};

const differences: readonly (readonly [string, Tree, string])[] = [
  [
    'content',
    { 'a.txt': file('cOntent', { mode: 0o640, mtimeNs: 1_000_000_000n, xattrs: { 'user.a': 'b' } }) },
    'sha256',
  ],
  ['size', { 'a.txt': file('content!', { mode: 0o640, mtimeNs: 1_000_000_000n, xattrs: { 'user.a': 'b' } }) }, 'size'],
  ['mode', { 'a.txt': file('content', { mode: 0o4640, mtimeNs: 1_000_000_000n, xattrs: { 'user.a': 'b' } }) }, 'mode'],
  [
    'one nanosecond',
    { 'a.txt': file('content', { mode: 0o640, mtimeNs: 1_000_000_001n, xattrs: { 'user.a': 'b' } }) },
    'mtime',
  ],
  [
    'attribute',
    { 'a.txt': file('content', { mode: 0o640, mtimeNs: 1_000_000_000n, xattrs: { 'user.a': 'c' } }) },
    'xattrs',
  ],
  ['type', { 'a.txt': directory() }, 'type'],
  ['target', { link: symlink('b.txt', 5n) }, 'target'],
  ['time of a link', { link: symlink('a.txt', 6n) }, 'mtime'],
  ['holes', { sparse: file(sparseAsData(), { mtimeNs: 0n }) }, 'holes'],
  ['hard link', { second: file('two names', { mtimeNs: 0n }) }, 'shares its inode'],
  [
    'folder time',
    { folder: directory({ 'n\udcff': file('inside', { mtimeNs: 3n }) }, { mtimeNs: 8n, mode: 0o750 }) },
    'mtime',
  ],
  [
    'name in bytes',
    { folder: directory({ 'n\udcfe': file('inside', { mtimeNs: 3n }) }, { mtimeNs: 7n, mode: 0o750 }) },
    "n\\xff' is missing",
  ],
  ['additional entry', { extra: file() }, 'should not be there'],
  ['special file', { pipe: fifo }, 'should not be there'],
];

function sparseAsData(): Uint8Array {
  const bytes = new Uint8Array(1_000_000);
  bytes[500_000] = 'x'.charCodeAt(0);
  return bytes;
}

describe('compare_trees.py', () => {
  beforeAll(() => buildTree(join(folder, 'original'), directory(original, { mtimeNs: 1n })));

  test('reports no difference between equal trees', async () => {
    await buildTree(join(folder, 'equal'), directory(original, { mtimeNs: 1n }));
    expect(await compareTrees(join(folder, 'original'), join(folder, 'equal'))).toEqual([]);
  });

  test.each(differences)('detects a difference: %s', async (name, changed, expected) => {
    const other = join(folder, `other ${name}`);
    await buildTree(other, directory({ ...original, ...changed }, { mtimeNs: 1n }));
    expect((await compareTrees(join(folder, 'original'), other)).join('\n')).toContain(expected);
  });
});

describe('oddTree', () => {
  test('can be built here, and equals a copy made by cp', async () => {
    const odd = join(folder, 'odd');
    await buildTree(odd, oddTree(odd));
    expect(statSync(join(odd, 'modes', '4755')).mode.toString(8)).toBe('104755');

    // Its name is as long as the original's, so that the longest path in it remains valid.
    const copy = join(folder, 'cpy');
    const { status, stderr } = spawnSync('cp', ['-a', odd, copy], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(await compareTrees(odd, copy)).toEqual([]);
  });
});
