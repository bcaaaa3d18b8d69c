/** The middle value, or the mean of the two in the middle. NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return (sorted[middle - 1] ?? Number.NaN) / 2 + (sorted[middle] ?? Number.NaN) / 2;
}
