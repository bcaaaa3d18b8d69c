/**
 * The height that a browser can still scroll: Chromium ends at 33,554,400 pixels, Firefox at about 17,800,000. A million
 * rows need more.
 */
const TALLEST = 8_000_000;

/** At both ends a pixel scrolled is a pixel of the rows, so that a slow scroll arrives there exactly. */
const EXACT = 1_000_000;

/** How high the scrolled box is for rows of a height in all. */
export function boxHeight(rowsHeight: number): number {
  return Math.min(rowsHeight, TALLEST);
}

/** Where the box is scrolled to when the rows are at `position`; both are 0 at the top, and both end together. */
export function boxOf(position: number, rowsHeight: number, viewHeight: number): number {
  const [rowsEnd, boxEnd] = ends(rowsHeight, viewHeight);
  if (rowsEnd === boxEnd || position <= EXACT) return position;
  if (position >= rowsEnd - EXACT) return boxEnd - (rowsEnd - position);
  return EXACT + ((position - EXACT) / (rowsEnd - 2 * EXACT)) * (boxEnd - 2 * EXACT);
}

/** Where the rows are when the box was scrolled to `scrollTop` at once, by its bar. */
export function positionOf(scrollTop: number, rowsHeight: number, viewHeight: number): number {
  const [rowsEnd, boxEnd] = ends(rowsHeight, viewHeight);
  if (rowsEnd === boxEnd || scrollTop <= EXACT) return scrollTop;
  if (scrollTop >= boxEnd - EXACT) return rowsEnd - (boxEnd - scrollTop);
  return EXACT + ((scrollTop - EXACT) / (boxEnd - 2 * EXACT)) * (rowsEnd - 2 * EXACT);
}

function ends(rowsHeight: number, viewHeight: number): readonly [rows: number, box: number] {
  return [Math.max(0, rowsHeight - viewHeight), Math.max(0, boxHeight(rowsHeight) - viewHeight)];
}
