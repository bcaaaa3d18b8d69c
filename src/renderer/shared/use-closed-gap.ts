import { useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';

/**
 * Moves what follows a cut part to its ellipsis. A part is cut between two characters, which leaves up to the width of one character
 * behind the ellipsis: „Docum… “. Nothing but the painting changes, so that the widths stay as they are.
 *
 * @returns for an element with three children: a text, the part, a text
 */
export function useClosedGap(): RefObject<HTMLSpanElement | null> {
  const line = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const element = line.current?.children[1];
    if (!(element instanceof HTMLElement)) return undefined;
    const close = (): void => closeGap(element);
    const observer = new ResizeObserver(close);
    observer.observe(element);
    close();
    return () => observer.disconnect();
  });
  return line;
}

function closeGap(part: HTMLElement): void {
  const isReversed = getComputedStyle(part).direction === 'rtl';
  const isLineReversed = getComputedStyle(part.parentElement!).direction === 'rtl';
  const isAfter = isReversed === isLineReversed;
  const gap = gapOf(part);
  for (const [side, isNext] of [
    [part.nextElementSibling, isAfter],
    [part.previousElementSibling, !isAfter],
  ] as const) {
    if (side instanceof HTMLElement) side.style.translate = isNext && gap > 0 ? `${isReversed ? gap : -gap}px` : '';
  }
}

/** Returns the pixels between the ellipsis of a cut text and the end of its box; 0 if it is not cut. */
function gapOf(part: HTMLElement): number {
  const text = part.firstChild;
  if (!(text instanceof Text) || part.scrollWidth <= part.clientWidth) return 0;
  const room = part.getBoundingClientRect().width - widthOf('…', part);
  const range = document.createRange();
  range.selectNodeContents(text);
  const width = (end: number): number => {
    range.setEnd(text, end);
    return range.getBoundingClientRect().width;
  };
  let [fits, tooLong] = [0, text.length];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (width(middle) <= room) fits = middle;
    else tooLong = middle;
  }
  return room - width(fits);
}

function widthOf(text: string, { parentElement }: HTMLElement): number {
  const ruler = document.createElement('span');
  ruler.style.position = 'absolute';
  ruler.textContent = text;
  parentElement!.append(ruler);
  const { width } = ruler.getBoundingClientRect();
  ruler.remove();
  return width;
}
