import { choose, useRestore } from '../store/restore-store.ts';
import { selectionOf, withAll } from '../store/selection.ts';
import type { Listing } from './listing.ts';

/** More roots than any set has. */
const MOST_ROOTS = 1_000;

/** Selects everything in the open folder: the folder itself, or at the top all roots of the set. */
export function chooseAllHere(listing: Listing, restorePoint: string): void {
  const { path } = useRestore.getState().steps.at(-1)!;
  if (path !== '') {
    const folder = selectionOf({ paths: [path] }).chosen.get(path)!;
    choose((before) => withAll(before, [folder]), restorePoint);
    return;
  }
  const last = Math.min(listing.view.total, MOST_ROOTS) - 1;
  listing.range(0, last).then(
    (roots) => choose((before) => withAll(before, roots), restorePoint),
    // The rows themselves show the problem.
    () => undefined,
  );
}
