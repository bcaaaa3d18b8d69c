import type { ParsedResult } from 'chrono-node/en';
import { HoldfastError } from '../engine/errors.ts';

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The moment that a person or a script means, in milliseconds since the epoch: ISO 8601, `latest`, or words such as
 * `2 hours ago` and `yesterday 14:00`. A time without a zone is this computer's. A day without a time is the end of
 * that day, so that it finds what was backed up on it. Words are taken as a whole or not at all.
 *
 * @throws HoldfastError `time_invalid` with `time`
 */
export async function pointInTime(text: string, now: number): Promise<number | 'latest'> {
  const trimmed = text.trim();
  if (trimmed.toLowerCase() === 'latest') return 'latest';
  const milliseconds = fromIso(trimmed) ?? (looksLikeIso(trimmed) ? undefined : await fromWords(trimmed, now));
  if (milliseconds === undefined) throw new HoldfastError('time_invalid', { time: text });
  return milliseconds;
}

/** A date that is wrong as ISO 8601 (31 February) is not given to the reader of words, which would shift it. */
function looksLikeIso(text: string): boolean {
  return /^\d{4}-\d/.test(text);
}

function fromIso(text: string): number | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '23', minute = '59', second, fraction, zone] = match;
  const wholeDay = match[4] === undefined;
  const seconds = second ?? (wholeDay ? '59' : '00');
  const milliseconds = wholeDay ? '999' : (fraction ?? '').padEnd(3, '0').slice(0, 3);
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return undefined;
  const offset = zone === undefined ? '' : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase();
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${seconds}.${milliseconds}${offset}`);
  // Finer than a millisecond counts as the next one: a service's own exact time has to find its restore point.
  return Number.isNaN(time) ? undefined : time + (/[1-9]/.test((fraction ?? '').slice(3)) ? 1 : 0);
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

async function fromWords(text: string, now: number): Promise<number | undefined> {
  const { casual } = await import('chrono-node/en');
  const results = casual.parse(text, new Date(now));
  const [result] = results;
  if (!result || results.length > 1 || result.text.length !== text.length || result.end) return undefined;
  return mostRecent(result, timeMeant(result), now);
}

function timeMeant(result: ParsedResult): number {
  const { start } = result;
  const time = start.date();
  const isWholeDay = start.isCertain('day') || start.isCertain('weekday');
  const partOfDay = /relativeDate|casualReference\/(now|morning|noon|afternoon|evening|midnight|night)/i;
  if (!isWholeDay || start.isCertain('hour') || [...result.tags()].some((tag) => partOfDay.test(tag)))
    return time.getTime();
  return new Date(time).setHours(23, 59, 59, 999);
}

/** Restore points lie in the past: `friday` and `14:00` mean the last one. */
function mostRecent({ start }: ParsedResult, time: number, now: number): number {
  if (time <= now || start.isCertain('day') || start.isCertain('month')) return time;
  if (start.isCertain('weekday')) return time - 7 * DAY_MS;
  return start.isCertain('hour') ? time - DAY_MS : time;
}
