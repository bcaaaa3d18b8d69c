import { useEffect, useRef, useState } from 'react';
import type { Step } from '../store/restore-store.ts';
import type { Listing } from './listing.ts';

export interface CurrentRow {
  readonly current: number;
  /** Makes a row current that is visible. */
  readonly mark: (index: number) => void;
  /** Makes a row current and visible. */
  readonly move: (index: number) => void;
}

/**
 * The row that keys act on. It stays at its entry when the rows are sorted anew, and when the folder is shown at another time.
 *
 * @param folder with the entry that was opened last, which is current at first
 */
export function useCurrentRow(listing: Listing, folder: Step, reveal: (index: number) => void): CurrentRow {
  const [held, setHeld] = useState({ path: folder.path, index: folder.row });
  if (held.path !== folder.path) setHeld({ path: folder.path, index: folder.row });
  const current = held.path === folder.path ? held.index : folder.row;
  /** The path of the current entry. */
  const entry = useRef<string>(undefined);
  /** Looks for the row of the current entry, until the person makes another one current. */
  const search = useRef<AbortController>(undefined);
  const isKnown = listing.view.total > 0;
  const { ordering } = listing;

  useEffect(() => {
    entry.current = folder.opened;
    // Only another folder has another entry that was opened last.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [folder.path]);

  useEffect(() => {
    if (!isKnown) return undefined;
    const path = entry.current;
    const at = Math.min(current, listing.view.total - 1);
    const show = (index: number): void => {
      setHeld((before) => ({ ...before, index }));
      reveal(index);
    };
    if (path === undefined || listing.row(at)?.path === path) {
      show(at);
      return undefined;
    }
    const own = new AbortController();
    search.current = own;
    const find = async (): Promise<void> => {
      const found = await listing.indexOf(path, at, own.signal).catch(() => undefined);
      if (own.signal.aborted) return;
      search.current = undefined;
      show(found ?? at);
    };
    void find();
    return () => {
      own.abort();
      search.current = undefined;
    };
    // Moving reveals by itself.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [listing, ordering, isKnown]);

  useEffect(() => {
    if (!search.current) entry.current = listing.row(current)?.path ?? entry.current;
  });

  const mark = (index: number): void => {
    search.current?.abort();
    search.current = undefined;
    entry.current = listing.row(index)?.path;
    setHeld((before) => ({ ...before, index }));
  };
  const move = (index: number): void => {
    mark(index);
    reveal(index);
  };
  return { current, mark, move };
}
