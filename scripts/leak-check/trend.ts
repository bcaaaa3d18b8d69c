/** Resources of a process between two runs, after a garbage collection. Memory in bytes. */
export interface Holding {
  readonly rss: number;
  /** V8's heap of the main thread. */
  readonly heap: number;
  /** Buffers and native objects outside the heap. */
  readonly external: number;
  readonly descriptors: number;
  readonly threads: number;
}

export type Measure = keyof Holding;

const MEGABYTE = 1_000_000;

/** Warm-up runs that fill caches and compile code. */
const WARM_UP_RUNS = 10;

/** Growth over all runs after the warm-up that counts as noise; a leak of one small file's bytes per run exceeds it. */
export const ALLOWANCES: Readonly<Record<Measure, number>> = {
  rss: 24 * MEGABYTE,
  heap: 2 * MEGABYTE,
  external: 2 * MEGABYTE,
  descriptors: 0,
  threads: 0,
};

/** Growth of each measure over the runs after the warm-up; negative if it shrank. */
export function growthOf(holdings: readonly Holding[]): Readonly<Record<Measure, number>> {
  const settled = holdings.slice(WARM_UP_RUNS);
  const memory = (measure: Measure): number => trend(settled.map((holding) => holding[measure]));
  const counted = (measure: Measure): number => lasting(settled.map((holding) => holding[measure]));
  return {
    rss: memory('rss'),
    heap: memory('heap'),
    external: memory('external'),
    descriptors: counted('descriptors'),
    threads: counted('threads'),
  };
}

/** Returns the measures that grew by more than the allowance. */
export function leaksOf(holdings: readonly Holding[]): readonly Measure[] {
  const growth = growthOf(holdings);
  return (Object.keys(ALLOWANCES) as Measure[]).filter((measure) => growth[measure] > ALLOWANCES[measure]);
}

/** The rise of the least-squares line from the first value to the last. */
function trend(values: readonly number[]): number {
  const last = values.length - 1;
  const middle = last / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const products = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  const squares = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  return (products / squares) * last;
}

/** Compares the minima of the first and last quarter: a resource that is being closed does not count, one that stays open does. */
function lasting(values: readonly number[]): number {
  const quarter = Math.ceil(values.length / 4);
  return Math.min(...values.slice(-quarter)) - Math.min(...values.slice(0, quarter));
}
