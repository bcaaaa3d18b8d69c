import { z } from 'zod';

/** ISO 8601 with any precision and offset. Holdfast writes UTC with milliseconds. */
export const timestamp = z.iso.datetime({ offset: true });
export type Timestamp = z.infer<typeof timestamp>;

/** Formats milliseconds since the epoch. */
export function formatTimestamp(milliseconds: number): Timestamp {
  return new Date(milliseconds).toISOString();
}

/** Converts nanoseconds to milliseconds, rounded down. */
export function millisecondsOf(nanoseconds: bigint): number {
  const quotient = nanoseconds / 1_000_000n;
  return Number(nanoseconds < 0n && nanoseconds % 1_000_000n !== 0n ? quotient - 1n : quotient);
}
