/** What a process holds between two runs, its garbage collected. Memory in bytes. */
export interface Holding {
  readonly rss: number;
  /** V8's heap of the main thread. */
  readonly heap: number;
  /** Outside of the heap, buffers and native objects. */
  readonly external: number;
  readonly descriptors: number;
  readonly threads: number;
}

export type Measure = keyof Holding;

const MEGABYTE = 1_000_000;

/** Runs until caches are full and code is compiled. */
const WARM_UP_RUNS = 10;

/** Growth over all runs after the warm-up that is still noise; a leak of one small file's bytes a run is above it. */
export const ALLOWANCES: Readonly<Record<Measure, number>> = {
  rss: 24 * MEGABYTE,
  heap: 2 * MEGABYTE,
  external: 2 * MEGABYTE,
  descriptors: 0,
  threads: 0,
};

/** How much each grew over the runs after the warm-up; below 0 it shrank. */
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

/** The measures that grew by more than is allowed. */
export function leaksOf(holdings: readonly Holding[]): readonly Measure[] {
  const growth = growthOf(holdings);
  return (Object.keys(ALLOWANCES) as Measure[]).filter((measure) => growth[measure] > ALLOWANCES[measure]);
}

/** The rise of the line of least squares from the first value to the last. */
function trend(values: readonly number[]): number {
  const last = values.length - 1;
  const middle = last / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const products = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  const squares = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  return (products / squares) * last;
}

/** By the least of each end's quarter: what is only just being closed counts for nothing, what stays open counts in full. */
function lasting(values: readonly number[]): number {
  const quarter = Math.ceil(values.length / 4);
  return Math.min(...values.slice(-quarter)) - Math.min(...values.slice(0, quarter));
}
