/**
 * Greatest height of a scrolled box. A million rows are higher than browsers can scroll: Chromium ends at 33,554,400 pixels,
 * Firefox at about 17,800,000.
 */
const TALLEST = 8_000_000;

/**
 * Within this distance of both ends, one pixel scrolled moves the rows by one pixel, so that slow scrolling ends
 * exactly.
 */
const EXACT = 1_000_000;

/** Returns the height of the scrolled box for rows of a total height. */
export function boxHeight(rowsHeight: number): number {
  return Math.min(rowsHeight, TALLEST);
}

/** Returns the scroll offset of the box for a position of the rows. Both start at 0 and end together. */
export function boxOf(position: number, rowsHeight: number, viewHeight: number): number {
  const [rowsEnd, boxEnd] = ends(rowsHeight, viewHeight);
  if (rowsEnd === boxEnd || position <= EXACT) return position;
  if (position >= rowsEnd - EXACT) return boxEnd - (rowsEnd - position);
  return EXACT + ((position - EXACT) / (rowsEnd - 2 * EXACT)) * (boxEnd - 2 * EXACT);
}

/** Returns the position of the rows for a jump of the scroll bar to `scrollTop`. */
export function positionOf(scrollTop: number, rowsHeight: number, viewHeight: number): number {
  const [rowsEnd, boxEnd] = ends(rowsHeight, viewHeight);
  if (rowsEnd === boxEnd || scrollTop <= EXACT) return scrollTop;
  if (scrollTop >= boxEnd - EXACT) return rowsEnd - (boxEnd - scrollTop);
  return EXACT + ((scrollTop - EXACT) / (boxEnd - 2 * EXACT)) * (rowsEnd - 2 * EXACT);
}

function ends(rowsHeight: number, viewHeight: number): readonly [rows: number, box: number] {
  return [Math.max(0, rowsHeight - viewHeight), Math.max(0, boxHeight(rowsHeight) - viewHeight)];
}
