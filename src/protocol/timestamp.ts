import { z } from 'zod';

/** ISO 8601 with any precision and offset. Holdfast writes UTC with milliseconds. */
export const timestamp = z.iso.datetime({ offset: true });
export type Timestamp = z.infer<typeof timestamp>;

/** Formats milliseconds since the epoch. */
export function formatTimestamp(milliseconds: number): Timestamp {
  return new Date(milliseconds).toISOString();
}

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
export function completionOf(time: number, completed: number): { readonly completed_at?: Timestamp } {
  return madeAt(time, completed) < time ? { completed_at: formatTimestamp(completed) } : {};
}

interface DatedPoint {
  readonly restore_point: Timestamp;
  readonly completed_at?: Timestamp | undefined;
}

/** Returns the time at which a restore point was made, as every list and choice states it. */
export function timeOfPoint({ restore_point: time, completed_at: completed = time }: DatedPoint): Timestamp {
  return Date.parse(completed) < Date.parse(time) ? completed : time;
}

/** The restore point that has the time, or else the newest of those that were completed until then: what a restore finds, too. */
export function newestUntil<Point extends DatedPoint>(newestFirst: readonly Point[], at: number): Point | undefined {
  const exact = newestFirst.find(({ restore_point: time }) => Date.parse(time) === at);
  return exact ?? newestFirst.find((point) => Date.parse(timeOfPoint(point)) <= at);
}

/** Converts nanoseconds to milliseconds, rounded down. */
export function millisecondsOf(nanoseconds: bigint): number {
  const quotient = nanoseconds / 1_000_000n;
  return Number(nanoseconds < 0n && nanoseconds % 1_000_000n !== 0n ? quotient - 1n : quotient);
}
