import { z } from 'zod';

/** ISO 8601 with any precision and offset. Holdfast writes UTC with milliseconds. */
export const timestamp = z.iso.datetime({ offset: true });
export type Timestamp = z.infer<typeof timestamp>;

/** Formats milliseconds since the epoch. */
export function formatTimestamp(milliseconds: number): Timestamp {
  return new Date(milliseconds).toISOString();
}
