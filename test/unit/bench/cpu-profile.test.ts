import { expect, test } from 'vitest';
import { callTree, topFunctions, type CpuProfile } from '../../../bench/profile/cpu-profile.ts';
import { flamePicture } from '../../../bench/profile/flame.ts';

/** The root calls `outer`, which calls `inner<T>`. The root also waits, and calls `inner<T>` itself. */
const profile: CpuProfile = {
  nodes: [
    node(1, '(root)', '', [2, 3, 5]),
    node(2, 'outer', 'file:///src/outer.ts', [4]),
    node(3, '(idle)', ''),
    node(4, 'inner<T>', 'node:fs'),
    node(5, 'inner<T>', 'node:fs'),
  ],
  samples: [2, 4, 4, 3, 5],
  timeDeltas: [1000, 2000, 3000, 50_000, 4000],
};

function node(id: number, functionName: string, url: string, children: readonly number[] = []): CpuProfile['nodes'][0] {
  return { id, callFrame: { functionName, url, lineNumber: 6 }, children };
}

test('sums times up the tree, without waiting', () => {
  const tree = callTree(profile);
  expect(tree).toMatchObject({ name: '(root)', selfMs: 0, totalMs: 10 });
  expect(tree.calls.map(({ name, place, selfMs, totalMs }) => [name, place, selfMs, totalMs])).toEqual([
    ['outer', 'outer.ts:7', 1, 6],
    ['inner<T>', 'node:fs:7', 4, 4],
  ]);
});

test('counts a function for all of its callers', () => {
  expect(topFunctions(callTree(profile), 2)).toEqual([
    { name: 'inner<T>', place: 'node:fs:7', selfMs: 9 },
    { name: 'outer', place: 'outer.ts:7', selfMs: 1 },
  ]);
});

test('draws the total time over the whole width, with names escaped for XML', () => {
  const picture = flamePicture(callTree(profile), 'main & only');
  const widths = [...picture.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
  expect(widths.sort((left, right) => right - left)).toEqual([1200, 720, 600, 480]);
  expect(picture).toContain('main &amp; only');
  expect(picture).toContain('<title>inner&lt;T&gt; node:fs:7: 5 ms, 50.0 %</title>');
});
