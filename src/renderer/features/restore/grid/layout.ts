import { useLayoutEffect, useState } from 'react';
import type { RefObject } from 'react';
import type { Preferences } from '../../../../ipc/contract/preferences.ts';
import { readingDirectionOf, rowAfterKey } from '../../../../ui/tables/row-keys.ts';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';

export type FolderView = NonNullable<Preferences['folderView']>;

/** Pixels; grid.css has the same. */
const TILE_WIDTH = 160;
export const TILE_HEIGHT = 176;

/** How folders are shown, which is remembered for the person. */
export function useFolderView(): readonly [FolderView, (view: FolderView) => void] {
  const preferences = useAppState((state) => state.preferences);
  const kept = preferences?.folderView ?? 'list';
  const [wished, setWished] = useState<FolderView>();
  const choose = (folderView: FolderView): void => {
    setWished(folderView);
    // A choice that cannot be saved applies until the window is closed.
    if (preferences) call('preferences.save', { preferences: { ...preferences, folderView } }).catch(() => undefined);
  };
  return [wished ?? kept, choose];
}

/** Tells how many tiles are side by side: one in a list. */
export function useColumns(
  scroller: RefObject<HTMLElement | null>,
  view: FolderView,
  onColumns: (columns: number) => void,
): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || view === 'list') {
      onColumns(1);
      return undefined;
    }
    const measure = (): void => onColumns(Math.max(2, Math.floor(element.clientWidth / TILE_WIDTH)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, view, onColumns]);
}

interface Tiles {
  readonly count: number;
  readonly columns: number;
  /** Rows to move by with the page keys. */
  readonly page: number;
}

/** Returns the entry that a key leads to; `undefined` for keys that do not move. In a list, arrows to the sides do not. */
export function entryAfterKey(key: string, current: number, { count, columns, page }: Tiles): number | undefined {
  if (columns === 1) return rowAfterKey(key, current, { count, page });
  const direction = readingDirectionOf(key);
  if (direction) return Math.max(0, Math.min(count - 1, current + (direction === 'forward' ? 1 : -1)));
  if (key === 'ArrowDown' || key === 'ArrowUp') {
    const wanted = current + (key === 'ArrowDown' ? columns : -columns);
    // The last row may be shorter: down leads to its end, and up from the first row nowhere.
    const isLastRow = Math.floor(current / columns) === Math.floor((count - 1) / columns);
    if (wanted < 0 || (wanted >= count && isLastRow)) return current;
    return Math.min(wanted, count - 1);
  }
  return rowAfterKey(key, current, { count, page: page * columns });
}
