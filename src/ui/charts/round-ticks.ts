/** Returns a step of 1, 2, 5 or 10 times a power of ten that divides `maximum` into at most `parts` parts. */
function niceStep(maximum: number, parts: number): number {
  const rough = maximum / parts;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough) ?? 10;
  return factor * power;
}

/**
 * Returns round numbers from 0 up to one at or above `maximum`, for the lines of a chart. They are multiples of a round
 * number of `unit`.
 */
export function roundTicks(maximum: number, parts: number, unit = 1): readonly number[] {
  if (maximum <= 0) return [0, unit];
  const step = niceStep(maximum / unit, parts);
  const count = Math.ceil(maximum / unit / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * step * unit);
}
