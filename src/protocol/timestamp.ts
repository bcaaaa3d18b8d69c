import { z } from 'zod';

/** ISO 8601. Any precision and offset is read; Holdfast writes UTC with milliseconds. */
export const timestamp = z.iso.datetime({ offset: true });
export type Timestamp = z.infer<typeof timestamp>;

/** Milliseconds since the epoch, written as the protocol writes times. */
export function formatTimestamp(milliseconds: number): Timestamp {
  return new Date(milliseconds).toISOString();
}
