import { useEffect, useMemo } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import { call } from '../../../bridge/bridge.ts';
import { lookedUp, useRestore } from './restore-store.ts';
import type { Source } from './restore-store.ts';
import { isMeasured, pathsOf, present } from './selection.ts';
import type { Selection } from './selection.ts';
import { useStable } from '../../../bridge/deep-equality.ts';

/** The selection, as far as it exists in this restore point. */
export interface ChosenHere {
  readonly selection: Selection;
  /** Number of selected entries that do not exist in this restore point. */
  readonly missing: number;
  readonly isLookingUp: boolean;
  /** True if no entry is selected, so that everything is restored. */
  readonly isEverything: boolean;
}

/** One entry alone, as it is in the restore point of the request. */
export function chosenOnly(entry: BrowsedEntry): ChosenHere {
  const selection = { chosen: new Map([[entry.path, entry]]), without: new Map<string, BrowsedEntry>() };
  return { selection, missing: 0, isLookingUp: false, isEverything: false };
}

/** Looks up a selection that was made in another restore point, and the contents of its folders. */
export function useChosenEntries({ set, device, destination }: Source, restorePoint: string): ChosenHere {
  const { selection, selectionAt, missing } = useRestore();
  const isEverything = selection.chosen.size === 0;
  const isLookingUp = !isEverything && selectionAt !== restorePoint;
  const isKnown = isEverything || (!isLookingUp && isMeasured(present(selection, missing)));
  const wanted = useStable(isKnown ? undefined : pathsOf(selection));
  useEffect(() => {
    if (!wanted) return undefined;
    let isCurrent = true;
    call('restore.find', { set, device, destination, restorePoint, paths: wanted }).then(
      ({ entries }) => isCurrent && lookedUp(restorePoint, wanted, entries),
      // The plan shows the problem.
      () => isCurrent && lookedUp(restorePoint, [], []),
    );
    return () => {
      isCurrent = false;
    };
  }, [set, device, destination, restorePoint, wanted]);
  return useMemo(() => {
    const here = present(selection, missing);
    const lost = selection.chosen.size - here.chosen.size;
    return { selection: here, missing: lost, isLookingUp, isEverything };
  }, [selection, missing, isLookingUp, isEverything]);
}
