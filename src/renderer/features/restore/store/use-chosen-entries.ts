import { useEffect, useMemo } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { lookedUp, useRestore } from './restore-store.ts';
import type { Source } from './restore-store.ts';
import { isMeasured, pathsOf, present } from './selection.ts';
import type { Selection } from './selection.ts';
import { useStable } from '../../../shared/shared-parts.ts';

/** What is chosen, as far as it is there at the time that is looked at. */
export interface ChosenHere {
  readonly selection: Selection;
  /** Entries that were chosen at another time and are not there at this one. */
  readonly missing: number;
  readonly isLookingUp: boolean;
  /** Nothing was chosen, whatever is there of it: all of it comes back. */
  readonly isEverything: boolean;
}

/** Looks up what was chosen at another time, and what the folders in it hold once they have been read. */
export function useChosenEntries({ set, device }: Source, restorePoint: string): ChosenHere {
  const { selection, selectionAt, missing } = useRestore();
  const isEverything = selection.chosen.size === 0;
  const isLookingUp = !isEverything && selectionAt !== restorePoint;
  const isKnown = isEverything || (!isLookingUp && isMeasured(present(selection, missing)));
  const wanted = useStable(isKnown ? undefined : pathsOf(selection));
  useEffect(() => {
    if (!wanted) return undefined;
    let isCurrent = true;
    call('restore.find', { set, device, restorePoint, paths: wanted }).then(
      ({ entries }) => isCurrent && lookedUp(restorePoint, wanted, entries),
      // Then the plan says what is wrong.
      () => isCurrent && lookedUp(restorePoint, [], []),
    );
    return () => {
      isCurrent = false;
    };
  }, [set, device, restorePoint, wanted]);
  return useMemo(() => {
    const here = present(selection, missing);
    const lost = selection.chosen.size - here.chosen.size;
    return { selection: here, missing: lost, isLookingUp, isEverything };
  }, [selection, missing, isLookingUp, isEverything]);
}
