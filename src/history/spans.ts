/** Times of the first and the last restore point of a series that has something. */
export interface Span {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** @param times in ascending order. @returns the index of the first that is later than `time` */
export function firstAfter(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns the restore points between two exclusive limits.
 *
 * @param times of all restore points, in ascending order
 */
export function spanBetween(times: readonly number[], low: number, high: number): Span | undefined {
  const from = times[firstAfter(times, low)];
  const to = times[firstAfter(times, high - 1) - 1];
  return from !== undefined && to !== undefined && from < high && to > low ? { from, to } : undefined;
}

/**
 * Unites spans that overlap, or between which there is no restore point.
 *
 * @param times of the restore points of each destination that the spans are from, in ascending order
 */
export function unitedSpans(spans: readonly Span[], times: readonly (readonly number[])[]): readonly Span[] {
  const united: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = united.at(-1);
    if (last && (span.from <= last.to || !times.some((each) => hasBetween(each, last.to, span.from)))) {
      united[united.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    } else united.push(span);
  }
  return united;
}

function hasBetween(times: readonly number[], low: number, high: number): boolean {
  const next = times[firstAfter(times, low)];
  return next !== undefined && next < high;
}
