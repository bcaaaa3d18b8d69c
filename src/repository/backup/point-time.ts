import { LATEST_TIME } from '../../format/repository/facts.ts';
import type { Point, SetName } from '../projection/points.ts';
import type { Repository } from '../repository.ts';

export interface PointTime {
  /** Milliseconds since the epoch: the restore point's own time, which no other of the set has. */
  readonly time: number;
  /** When the run was completed, by this computer's clock, if that is earlier. */
  readonly completed?: number;
}

interface NewPoint {
  readonly set: SetName;
  /** The time of the restore point that is copied, ISO 8601. */
  readonly kept: string | undefined;
  /** The latest time of any restore point of the set. */
  readonly latest: number;
  /** The restore points that the new one replaces. */
  readonly replaced: readonly Point[];
}

/** Returns the time of a new restore point: after all others of the set, unless it is a copy, which keeps its time. */
export function pointTime(
  { clock, projection }: Pick<Repository, 'clock' | 'projection'>,
  { set, kept, latest, replaced }: NewPoint,
): PointTime {
  if (kept === undefined) {
    const now = clock.now();
    const time = Math.min(LATEST_TIME, Math.max(now, latest + 1));
    return now < time ? { time, completed: now } : { time };
  }
  const taken = new Set(projection.points.ofSet(set).map((point) => point.time));
  for (const point of replaced) taken.delete(point.time);
  // Also one in the future: this computer's clock may be behind, and `--at` would find another version in the copy.
  let time = Math.min(LATEST_TIME, Date.parse(kept));
  while (taken.has(time)) time += 1;
  return { time };
}
