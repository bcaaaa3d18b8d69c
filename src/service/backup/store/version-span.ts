/** A version of a file with the runs between which it is valid. */
export interface VersionSpan {
  readonly pathKey: string;
  /** The number of the session that brought it. */
  readonly validFrom: number;
  /** The sequence of that session's run; `undefined` until it is completed. */
  readonly from: number | undefined;
  /** The sequence of the run that ended it. */
  readonly to: number | undefined;
  readonly size: number;
  readonly chunks: Buffer;
}

export interface VersionKey {
  readonly pathKey: string;
  readonly validFrom: number;
}

type Span = Pick<VersionSpan, 'from' | 'to'>;

/**
 * Returns the part of `sequences` (ascending) whose trees contain a version: from the run that brought it up to, but excluding, the
 * run that ended it.
 */
export function visibleIn({ from, to }: Span, sequences: readonly number[]): readonly [first: number, end: number] {
  if (from === undefined) return [0, 0];
  return [firstAtLeast(sequences, from), to === undefined ? sequences.length : firstAtLeast(sequences, to)];
}

export function isVisibleIn(span: Span, sequences: readonly number[]): boolean {
  const [first, end] = visibleIn(span, sequences);
  return first < end;
}

/** Returns whether no restore point contains the version, and none ever will. An unfinished session's version may still get one. */
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
