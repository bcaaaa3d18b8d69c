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

/** When the run of a restore point was completed, if that is clearly earlier than the restore point's own time. */
export function completionOf(time: number, completed: number): { readonly completed_at?: Timestamp } {
  return completed < time - USUAL_MS ? { completed_at: formatTimestamp(completed) } : {};
}

/** Converts nanoseconds to milliseconds, rounded down. */
export function millisecondsOf(nanoseconds: bigint): number {
  const quotient = nanoseconds / 1_000_000n;
  return Number(nanoseconds < 0n && nanoseconds % 1_000_000n !== 0n ? quotient - 1n : quotient);
}
