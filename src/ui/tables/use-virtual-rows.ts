import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { flushSync } from 'react-dom';
import { boxHeight, boxOf, positionOf } from './long-scroll.ts';

const BEYOND = 12;
/** Milliseconds without an event after which a scroll has ended. */
const REST = 120;

export interface VirtualRows {
  readonly count: number;
  /** Ref of the element that scrolls. */
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** Height of the box in it that holds the rows. */
  readonly height: number;
  /** The drawn rows are `from` to `to - 1`. */
  readonly from: number;
  readonly to: number;
  /** Offset of a row in the box. */
  readonly topOf: (index: number) => number;
  /** Scrolls as little as possible to make a row visible. */
  readonly reveal: (index: number) => void;
  /** Rows to move by with the page keys. */
  readonly page: number;
}

interface Place {
  /** Offset of the rows from the box, which is shorter for very long lists. */
  readonly shift: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Computes which of `count` rows, all `rowHeight` pixels high, are visible: a million rows cost no more than ten.
 *
 * @param head pixels of a sticky head above the rows
 * @param beyond rows drawn above and below the visible ones, so that a quick scroll shows no gap
 */
export function useVirtualRows(count: number, rowHeight: number, head = 0, beyond = BEYOND): VirtualRows {
  const scroller = useRef<HTMLDivElement>(null);
  const [viewHeight, setViewHeight] = useState(600);
  const [place, setPlace] = useState<Place>({ shift: 0, from: 0, to: 0 });
  const last = useRef({ top: 0, shift: 0 });
  const rowsHeight = count * rowHeight;

  const settle = useCallback(
    (top: number, shift: number) => {
      last.current = { top, shift };
      const position = top + shift;
      const from = Math.max(0, Math.floor(position / rowHeight) - beyond);
      const to = Math.min(count, Math.ceil((position + viewHeight) / rowHeight) + beyond);
      setPlace((before) =>
        before.shift === shift && before.from === from && before.to === to ? before : { shift, from, to },
      );
    },
    [count, rowHeight, viewHeight, beyond],
  );

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const measure = (): void => setViewHeight(Math.max(rowHeight, element.clientHeight - head));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [rowHeight, head]);

  useLayoutEffect(() => {
    settle(scroller.current?.scrollTop ?? 0, rowsHeight <= boxHeight(rowsHeight) ? 0 : last.current.shift);
  }, [settle, rowsHeight]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    let resting: ReturnType<typeof setTimeout> | undefined;
    const rest = (): void => {
      const { top, shift } = last.current;
      // Another scroll has begun, whose event comes.
      if (element.scrollTop !== top) return;
      const aligned = Math.round(boxOf(top + shift, rowsHeight, viewHeight));
      if (aligned === top) return;
      flushSync(() => settle(aligned, top + shift - aligned));
      element.scrollTop = aligned;
    };
    const scrolled = (): void => {
      const top = element.scrollTop;
      const before = last.current;
      if (top === before.top) return;
      // A wheel, finger or key moves on from where it was; the scroll bar jumps to a fraction of all rows.
      const isStep = Math.abs(top - before.top) <= 2 * viewHeight;
      const wanted = isStep ? top + before.shift : positionOf(top, rowsHeight, viewHeight);
      const position = Math.max(0, Math.min(wanted, rowsHeight - viewHeight));
      flushSync(() => settle(top, rowsHeight <= boxHeight(rowsHeight) ? 0 : Math.round(position - top)));
      clearTimeout(resting);
      resting = setTimeout(rest, REST);
    };
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      clearTimeout(resting);
      element.removeEventListener('scroll', scrolled);
    };
  }, [rowsHeight, viewHeight, settle]);

  const reveal = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (!element) return;
      const { top, shift } = last.current;
      const position = top + shift;
      const start = index * rowHeight;
      const wanted = start < position ? start : Math.max(position, start + rowHeight - viewHeight);
      if (wanted === position) return;
      const aligned = Math.round(boxOf(wanted, rowsHeight, viewHeight));
      settle(aligned, rowsHeight <= boxHeight(rowsHeight) ? 0 : Math.round(wanted - aligned));
      element.scrollTop = aligned;
    },
    [rowHeight, rowsHeight, viewHeight, settle],
  );

  const { shift, from, to } = place;
  return {
    count,
    scroller,
    height: boxHeight(rowsHeight),
    from: Math.min(from, count),
    to: Math.min(to, count),
    topOf: (index) => index * rowHeight - shift,
    reveal,
    page: Math.max(1, Math.floor(viewHeight / rowHeight) - 1),
  };
}
