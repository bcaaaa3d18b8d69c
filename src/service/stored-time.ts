import { formatTimestamp } from '../protocol/timestamp.ts';

/** Timestamps as Holdfast writes them, on days that every month has. */
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A fast check that accepts only valid timestamps, and nearly all of Holdfast's; the schema checks the others. */
export function isPlainTime(text: string): boolean {
  return PLAIN.test(text);
}

/**
 * Converts a validated timestamp for storage: to milliseconds if they reproduce exactly this text, else to text in UTC. Other
 * clients' finer times keep their precision; an offset is converted to UTC, which keeps milliseconds.
 */
export function storedTime(text: string): number | string {
  if (PLAIN.test(text)) return Date.parse(text);
  const milliseconds = Date.parse(text);
  if (!text.endsWith('Z')) return milliseconds;
  return Number.isFinite(milliseconds) && formatTimestamp(milliseconds) === text ? milliseconds : text;
}

/** Returns the text behind a stored time, in UTC. */
export function timeText(stored: number | string): string {
  return typeof stored === 'number' ? formatTimestamp(stored) : stored;
}

/** Returns a timestamp for an answer; `null` for an undefined time. */
export function timeOrNull(time: number | undefined): string | null {
  return time === undefined ? null : formatTimestamp(time);
}
