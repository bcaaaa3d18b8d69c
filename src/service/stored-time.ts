import { formatTimestamp } from '../protocol/timestamp.ts';

/** What Holdfast writes, on days that every month has. */
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Accepts only what the schema accepts, and nearly all that Holdfast sends; for the others ask the schema. */
export function isPlainTime(text: string): boolean {
  return PLAIN.test(text);
}

/**
 * A validated timestamp as it is stored: milliseconds where they give exactly this text again, else text in UTC. Other
 * clients' finer times come back as they were sent; an offset is turned into UTC, which keeps milliseconds.
 */
export function storedTime(text: string): number | string {
  if (PLAIN.test(text)) return Date.parse(text);
  const milliseconds = Date.parse(text);
  if (!text.endsWith('Z')) return milliseconds;
  return Number.isFinite(milliseconds) && formatTimestamp(milliseconds) === text ? milliseconds : text;
}

/** The text that `storedTime` was given, in UTC. */
export function timeText(stored: number | string): string {
  return typeof stored === 'number' ? formatTimestamp(stored) : stored;
}
