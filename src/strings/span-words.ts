const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** How long something takes, in its two largest units at most: `2 min`, `1 hr 20 min`. Milliseconds. */
export function spanWords(span: number, region: string): string {
  const first = UNITS.findIndex(([, length]) => span >= length);
  const from = first === -1 ? UNITS.length - 1 : first;
  let left = Math.max(0, span);
  const parts: string[] = [];
  for (const [unit, length] of UNITS.slice(from, from + (from < 2 ? 2 : 1))) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0 || parts.length === 0) parts.push(unitWords(count, unit, region));
  }
  return parts.join(' ');
}

function unitWords(count: number, unit: string, region: string): string {
  return new Intl.NumberFormat(region, { style: 'unit', unit, unitDisplay: 'short' }).format(count);
}
