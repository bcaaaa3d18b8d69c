import { useRef } from 'react';
import { choose, useRestore } from '../store/restore-store.ts';
import { withAll } from '../store/selection.ts';
import type { Selection } from '../store/selection.ts';
import type { Listing } from './listing.ts';

/** Rows that may be selected at once. Selecting their folder selects any number. */
export const MOST_RANGE = 10_000;

interface Range {
  /** Selects the rows from the one where the selection began to another. Returns `false` if they are too many. */
  readonly extend: (from: number, to: number) => boolean;
  /** Ends the range: the next one begins at the current row. */
  readonly end: () => void;
}

/** Selects rows that are next to each other. A range that shrinks gives back what it had added. */
export function useRange(listing: Listing, restorePoint: string): Range {
  const begun = useRef<{ readonly listing: Listing; readonly row: number; readonly before: Selection }>(undefined);
  const newest = useRef(0);
  const end = (): void => {
    begun.current = undefined;
    newest.current += 1;
  };
  const extend = (from: number, to: number): boolean => {
    if (begun.current?.listing !== listing) {
      begun.current = { listing, row: from, before: useRestore.getState().selection };
    }
    const { row, before } = begun.current;
    const [first, last] = [Math.min(row, to), Math.max(row, to)];
    if (last - first >= MOST_RANGE) return false;
    newest.current += 1;
    const own = newest.current;
    const select = async (): Promise<void> => {
      // The rows themselves show the problem.
      const entries = await listing.range(first, last).catch(() => []);
      if (own === newest.current) choose(() => withAll(before, entries), restorePoint);
    };
    void select();
    return true;
  };
  return { extend, end };
}
