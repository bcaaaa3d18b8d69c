import type { SeenTree } from '../../../catalog/history.ts';

/** The time of a tree: clocks may be set back, but a set's trees are in order. */
export function createdAfter(previous: SeenTree | undefined, now: number): number {
  return Math.max(now, previous ? previous.created + 1 : 0);
}

/** The position of a tree among those of its set. */
export function sequenceAfter(previous: SeenTree | undefined): number {
  return (previous?.sequence ?? 0) + 1;
}
