import type { VersionSpan } from '../store/retention/retention-store.ts';

type Span = Pick<VersionSpan, 'from' | 'to'>;

/**
 * The part of `sequences` (ascending) in whose trees a version is: from the run that brought it up to, and without, the run
 * that ended it. Answers the first index of it and the one behind it.
 */
export function visibleIn({ from, to }: Span, sequences: readonly number[]): readonly [first: number, end: number] {
  if (from === undefined) return [0, 0];
  return [firstAtLeast(sequences, from), to === undefined ? sequences.length : firstAtLeast(sequences, to)];
}

export function isVisibleIn(span: Span, sequences: readonly number[]): boolean {
  const [first, end] = visibleIn(span, sequences);
  return first < end;
}

/** Whether no restore point has it, and none ever will. A version of a session that goes on may still get one. */
export function isDead(span: Span, sequences: readonly number[]): boolean {
  return span.from !== undefined && span.to !== undefined && !isVisibleIn(span, sequences);
}

function firstAtLeast(sequences: readonly number[], wanted: number): number {
  let low = 0;
  let high = sequences.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sequences[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
