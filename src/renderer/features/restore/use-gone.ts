import { nameOf } from '../../../model/entry-path.ts';
import { useMemo } from 'react';
import type { BrowsedEntry } from '../../../ipc/contract/restore/restore.ts';
import { useCall } from '../../bridge/use-call.ts';
import type { Looking, PointTime } from './store/restore-store.ts';

/** Entries that are shown. */
const MOST = 1_000;

/** An entry that existed before the time that is shown. */
export interface GoneEntry extends BrowsedEntry {
  /** The last restore point that has it. */
  readonly last: PointTime;
}

const NONE: readonly GoneEntry[] = [];

/** Reads what the open folder had before; nothing at the top, and as long as the history does not know. */
export function useGone(source: Looking['source'], restorePoint: string, path: string): readonly GoneEntry[] {
  const { set, device, destination } = source;
  const answer = useCall('history.gone', { set, device, destination, path, time: restorePoint, count: MOST });
  const entries = answer.kind === 'ready' && path !== '' ? answer.value.entries : undefined;
  return useMemo(
    () =>
      entries?.map(({ path: own, kind, size, modified, to, madeTo }) => ({
        path: own,
        name: nameOf(own),
        type: kind,
        size,
        modified,
        last: { restorePoint: to, madeAt: madeTo },
      })) ?? NONE,
    [entries],
  );
}
