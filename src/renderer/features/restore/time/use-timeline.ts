import { useMemo } from 'react';
import type { TimelinePoint } from '../../../../ipc/contract/restore/history.ts';
import type { RestorePoint } from '../../../../model/restore-point.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useOnChange } from '../../../shared/use-on-change.ts';
import type { Source } from '../store/restore-store.ts';

/** Restore points that are counted. */
const COUNT = 200;

/** What changed in a folder, by the time of the restore point in milliseconds. */
export type Timeline = ReadonlyMap<number, TimelinePoint>;

/** Reads what changed in a folder in each restore point. One that is not known here yet is not in it. */
export function useTimeline({ set, device, destination }: Source, path: string, newest: string | undefined): Timeline {
  const answer = useCall('history.timeline', { set, device, destination, path, count: COUNT });
  useOnChange(newest, answer.reload);
  const points = answer.kind === 'ready' ? answer.value.points : undefined;
  return useMemo(() => new Map(points?.map((point) => [Date.parse(point.restorePoint), point])), [points]);
}

export function changesAt(timeline: Timeline, { restorePoint }: RestorePoint): TimelinePoint | undefined {
  return timeline.get(Date.parse(restorePoint));
}

/** Whether the folder may differ from the restore point before. */
function mayDiffer(timeline: Timeline, point: RestorePoint): boolean {
  const changes = changesAt(timeline, point);
  return !changes || changes.added + changes.changed + changes.removed > 0;
}

/**
 * Returns the next restore point in which the folder is another: the last one before its latest change, or the one with its next
 * change, and the newest if there is none.
 *
 * @param points newest first
 */
export function steppedPoint(
  points: readonly RestorePoint[],
  at: number,
  timeline: Timeline,
  direction: 'older' | 'newer',
): RestorePoint | undefined {
  if (direction === 'newer') {
    return points.slice(0, at).findLast((point) => mayDiffer(timeline, point)) ?? points.slice(0, at)[0];
  }
  const change = points.findIndex((point, index) => index >= at && mayDiffer(timeline, point));
  return change === -1 ? undefined : points[change + 1];
}
