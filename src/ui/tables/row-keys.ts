import type { VirtualRows } from './use-virtual-rows.ts';

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
