/** A run is completed shortly before its restore point's time, or after it. */
const USUAL_MS = 60_000;

/**
 * Returns the time at which a restore point was made: its own, or when its run was completed if that is clearly earlier, as after a clock
 * that was ahead. Milliseconds since the epoch.
 */
export function madeAt(time: number, completed = time): number {
  return completed < time - USUAL_MS ? completed : time;
}

/** When the run of a restore point was completed, if that is clearly earlier than the restore point's own time. */
export function completionOf(time: number, completed: number): { readonly completed_at?: string } {
  return madeAt(time, completed) < time ? { completed_at: new Date(completed).toISOString() } : {};
}

/** A restore point with its times, ISO 8601. */
interface DatedPoint {
  readonly restore_point: string;
  readonly completed_at?: string | undefined;
}

/** Returns the time at which a restore point was made, as every list and choice states it. */
export function timeOfPoint({ restore_point: time, completed_at: completed = time }: DatedPoint): string {
  return Date.parse(completed) < Date.parse(time) ? completed : time;
}

/** Returns the times of the restore points that are nearest to a time, nearest first. */
export function nearestTimes(
  points: readonly Pick<DatedPoint, 'restore_point'>[],
  at: number,
  most: number,
): readonly string[] {
  const distance = (time: string): number => Math.abs(Date.parse(time) - at);
  return points
    .map(({ restore_point: time }) => time)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, most);
}

/** The restore point that has the time, or else the newest of those that were completed until then: what a restore finds, too. */
export function newestUntil<Point extends DatedPoint>(newestFirst: readonly Point[], at: number): Point | undefined {
  const exact = newestFirst.find(({ restore_point: time }) => Date.parse(time) === at);
  return exact ?? newestFirst.find((point) => Date.parse(timeOfPoint(point)) <= at);
}
