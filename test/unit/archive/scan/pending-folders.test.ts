import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PendingFolders } from '../../../../src/archive/scan/pending-folders.ts';

interface Folder {
  readonly path: string;
}

/** Paths below `/r`, with all ancestors. */
const trees = fc
  .uniqueArray(fc.array(fc.constantFrom('a', 'b', 'c', 'aa'), { minLength: 1, maxLength: 4 }), {
    selector: (names) => names.join('/'),
  })
  .map((leaves) => {
    const all = leaves.flatMap((names) => names.map((_, index) => ['/r', ...names.slice(0, index + 1)].join('/')));
    return new Set(['/r', ...all]);
  });

function childrenOf(tree: ReadonlySet<string>, parent: string): readonly Folder[] {
  const children = [...tree].filter((path) => path.slice(0, path.lastIndexOf('/')) === parent);
  return children.sort().map((path) => ({ path }));
}

/** Returns the order of visits when each folder's children are added as it is taken. */
function visited(tree: ReadonlySet<string>, first: readonly string[]): readonly string[] {
  const order = new PendingFolders<Folder>(first);
  const seen: string[] = [];
  order.add([{ path: '/r' }]);
  for (let next = order.next; order.take(); next = order.next) {
    seen.push(next!.path);
    order.add(childrenOf(tree, next!.path));
  }
  return seen;
}

test('returns every folder once and after its parent, whatever comes first', () => {
  fc.assert(
    fc.property(trees, fc.array(fc.string()), fc.infiniteStream(fc.nat()), (tree, strange, picks) => {
      const paths = [...tree];
      const first = [...strange, ...[...picks.take(3)].map((pick) => paths[pick % paths.length]!)];
      const order = visited(tree, first);
      expect([...order].sort()).toEqual(paths.sort());
      for (const [index, path] of order.entries()) {
        if (path !== '/r') expect(order.slice(0, index)).toContain(path.slice(0, path.lastIndexOf('/')));
      }
      // All other folders come after them.
      const leads = (path: string): boolean => first.some((other) => other === path || other.startsWith(`${path}/`));
      expect(order.map(leads)).toEqual(order.map(leads).sort((one, other) => Number(other) - Number(one)));
    }),
  );
});

test('is depth first without preferences', () => {
  const tree = new Set(['/r', '/r/a', '/r/a/x', '/r/b', '/r/b/y']);
  expect(visited(tree, [])).toEqual(['/r', '/r/a', '/r/a/x', '/r/b', '/r/b/y']);
  expect(visited(tree, ['/r/b/y'])).toEqual(['/r', '/r/b', '/r/b/y', '/r/a', '/r/a/x']);
});

test('accepts the root of the file system', () => {
  const order = new PendingFolders<Folder>(['/home/a']);
  order.add([{ path: '/boot' }, { path: '/' }]);
  expect(order.take()).toEqual({ path: '/' });
});
