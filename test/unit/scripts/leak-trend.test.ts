import { expect, test } from 'vitest';
import { growthOf, leaksOf, type Holding } from '../../../scripts/leak-check/trend.ts';

const RUNS = 50;
const steady: Holding = { rss: 150e6, heap: 20e6, external: 5e6, descriptors: 30, threads: 12 };

/** @param at what a process holds beside the steady part after the run */
function holdings(at: (run: number) => Partial<Holding>): readonly Holding[] {
  return Array.from({ length: RUNS }, (_, run) => ({ ...steady, ...at(run) }));
}

test('a steady, shrinking or fluctuating measure is not a leak', () => {
  expect(leaksOf(holdings(() => ({})))).toEqual([]);
  expect(leaksOf(holdings((run) => ({ heap: 30e6 - run * 1e5 })))).toEqual([]);
  expect(leaksOf(holdings((run) => ({ heap: 20e6 + (run % 7) * 1e6, rss: 150e6 + (run % 5) * 10e6 })))).toEqual([]);
});

test('ignores growth in the first runs, which fill caches', () => {
  expect(leaksOf(holdings((run) => ({ heap: 20e6 + Math.min(run, 10) * 5e6, threads: Math.min(run, 9) })))).toEqual([]);
});

test.each([
  ['heap', 100e3],
  ['external', 100e3],
  ['rss', 1e6],
] as const)('detects that %s grows by %d a run in spite of fluctuation', (measure, bytes) => {
  const noisy = holdings((run) => ({ [measure]: 100e6 + run * bytes + (run % 3) * bytes }));
  expect(leaksOf(noisy)).toEqual([measure]);
  expect(growthOf(noisy)[measure]).toBeGreaterThan(35 * bytes);
});

test('detects one descriptor or thread that stays open', () => {
  expect(leaksOf(holdings((run) => ({ descriptors: run < 30 ? 30 : 31 })))).toEqual(['descriptors']);
  expect(leaksOf(holdings((run) => ({ threads: run < 30 ? 12 : 13 })))).toEqual(['threads']);
});

test('ignores a descriptor that is just being closed', () => {
  expect(leaksOf(holdings((run) => ({ descriptors: run % 4 === 3 ? 31 : 30 })))).toEqual([]);
});
