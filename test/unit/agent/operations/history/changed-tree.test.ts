import { describe, expect, test } from 'vitest';
import { ChangedTree } from '../../../../../src/agent/operations/history/changed-tree.ts';
import type { HistoryChange, HistoryVersion } from '../../../../../src/history/queries.ts';

function version(kind: HistoryVersion['kind'], size = 0): HistoryVersion {
  return { from: 1, to: 2, kind, size, modified: 0, content: '' };
}

const FILE = version('file', 10);
const FOLDER = version('directory');

function treeOf(changes: readonly HistoryChange[], maxListed?: number): ChangedTree {
  const tree = new ChangedTree(maxListed);
  for (const change of changes) tree.add(change);
  return tree;
}

function listed(tree: ChangedTree, path: string): readonly (readonly [string, string])[] {
  return tree.entries(path, 0, 100).entries.map(({ name, state }) => [name, state]);
}

describe('a tree of changes', () => {
  test('lists folders first, by name, and joins folders that contain only one', () => {
    const tree = treeOf([
      { path: '/home/a/file 10', before: undefined, after: FILE },
      { path: '/home/a/file 9', before: FILE, after: undefined },
      { path: '/home/a/z/y/x', before: FILE, after: version('file', 12) },
      { path: '/home/a/b/c', before: FILE, after: undefined },
    ]);
    expect(listed(tree, '')).toEqual([['/home/a', 'within']]);
    expect(listed(tree, '/home/a')).toEqual([
      ['b', 'within'],
      ['z/y', 'within'],
      ['file 9', 'removed'],
      ['file 10', 'added'],
    ]);
    expect(tree.sums).toEqual({ added: 1, changed: 1, removed: 2, bytesBefore: 30, bytesAfter: 22 });
    expect(tree.entries('/home/a', 1, 2).entries.map(({ name }) => name)).toEqual(['z/y', 'file 9']);
    expect(tree.entries('/elsewhere', 0, 10)).toEqual({ entries: [], total: 0 });
  });

  test('marks folders that came and went, and counts what took their place', () => {
    const tree = treeOf([
      { path: '/a/new', before: undefined, after: FOLDER },
      { path: '/a/new/file', before: undefined, after: FILE },
      { path: '/a/old', before: FOLDER, after: undefined },
      { path: '/a/was folder', before: FOLDER, after: FILE },
      { path: '/a/touched', before: FOLDER, after: { ...FOLDER, modified: 9 } },
    ]);
    expect(listed(tree, '/a')).toEqual([
      ['new', 'added'],
      ['old', 'removed'],
      ['was folder', 'removed'],
      ['was folder', 'added'],
    ]);
    expect(tree.sums).toMatchObject({ added: 2, changed: 0, removed: 0 });
  });

  test('counts what it does not list', () => {
    const changes = Array.from({ length: 5 }, (_, index) => ({ path: `/a/${index}`, before: undefined, after: FILE }));
    const tree = treeOf(changes, 3);
    expect([tree.isCut, tree.sums.added, tree.entries('/a', 0, 10).total]).toEqual([true, 5, 3]);
    expect(treeOf(changes).isCut).toBe(false);
  });

  test('takes paths of other systems', () => {
    const tree = treeOf([
      { path: 'C:/Users/a', before: undefined, after: FILE },
      { path: '/x', before: undefined, after: FILE },
    ]);
    expect(listed(tree, '')).toEqual([
      ['C:/Users', 'within'],
      ['x', 'added'],
    ]);
  });
});
