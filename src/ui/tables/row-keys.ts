import type { VirtualRows } from './use-virtual-rows.ts';

/** Returns where an arrow to a side points in the direction of reading; `undefined` for other keys. */
export function readingDirectionOf(key: string): 'forward' | 'back' | undefined {
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined;
  return (key === 'ArrowRight') === (document.documentElement.dir !== 'rtl') ? 'forward' : 'back';
}

/** Returns the row that a key leads to, within the rows; `undefined` for keys that do not move. */
export function rowAfterKey(
  key: string,
  current: number,
  { count, page }: Pick<VirtualRows, 'count' | 'page'>,
): number | undefined {
  const wanted = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: count - 1,
  }[key];
  return wanted === undefined ? undefined : Math.max(0, Math.min(count - 1, wanted));
}
