import type { ParsedResult } from 'chrono-node/en';
import { HoldfastError } from '../../base/errors/errors.ts';
import { DAY } from '../../model/units.ts';
import type { RestoreTime } from '../../model/restore-request.ts';

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Parses a moment into milliseconds since the epoch: ISO 8601, `latest`, or words such as `2 hours ago` and
 * `yesterday 14:00`. A time without a zone is local. A day without a time is the end of that day, so that it includes the
 * backups of the day. All words must be understood. The future is refused, since it would silently select the newest
 * restore point.
 *
 * @throws HoldfastError `time_invalid` with `time`, and the `problem` `future`
 */
export async function pointInTime(text: string, now: number): Promise<RestoreTime> {
  const trimmed = text.trim();
  if (trimmed.toLowerCase() === 'latest') return 'latest';
  const meant = fromIso(trimmed) ?? (looksLikeIso(trimmed) ? undefined : await fromWords(trimmed, now));
  if (meant === undefined) throw new HoldfastError('time_invalid', { time: text });
  if (beginning(meant) > now + leeway(meant))
    throw new HoldfastError('time_invalid', { time: text, problem: 'future' });
  return meant.time;
}

/** A parsed moment, and the precision in which it was given. */
interface Meant {
  readonly time: number;
  readonly kind: 'moment' | 'day' | 'moment-of-a-zone' | 'restore-point';
}

function beginning({ time, kind }: Meant): number {
  return kind === 'day' ? new Date(time).setHours(0, 0, 0, 0) : time;
}

/** Tolerance for moments in the future, since services have clocks of their own. */
function leeway({ kind }: Meant): number {
  if (kind === 'restore-point') return Number.POSITIVE_INFINITY;
  return kind === 'moment-of-a-zone' ? DAY : 0;
}

/** Keeps an invalid ISO date (31 February) from the parser of words, which would shift it. */
function looksLikeIso(text: string): boolean {
  return /^\d{4}-\d/.test(text);
}

function fromIso(text: string): Meant | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '23', minute = '59', second, fraction, zone] = match;
  const wholeDay = match[4] === undefined;
  const seconds = second ?? (wholeDay ? '59' : '00');
  const milliseconds = wholeDay ? '999' : (fraction ?? '').padEnd(3, '0').slice(0, 3);
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return undefined;
  const offset = zone === undefined ? '' : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase();
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${seconds}.${milliseconds}${offset}`);
  // Fractions of a millisecond are rounded up, so that a service's exact time finds its restore point.
  const isRoundedUp = /[1-9]/.test((fraction ?? '').slice(3));
  if (Number.isNaN(time)) return undefined;
  return { time: isRoundedUp ? time + 1 : time, kind: kindOf({ wholeDay, zone, fraction }) };
}

function kindOf(iso: { wholeDay: boolean; zone: string | undefined; fraction: string | undefined }): Meant['kind'] {
  if (iso.wholeDay) return 'day';
  if (iso.zone === undefined) return 'moment';
  // Only programs write fractions of a second.
  return iso.fraction === undefined ? 'moment-of-a-zone' : 'restore-point';
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

async function fromWords(text: string, now: number): Promise<Meant | undefined> {
  const { casual } = await import('chrono-node/en');
  const results = casual.parse(text, new Date(now));
  const [result] = results;
  if (!result || results.length > 1 || result.text.length !== text.length || result.end) return undefined;
  const isDay = isWholeDay(result);
  const time = result.start.date();
  if (isDay) time.setHours(23, 59, 59, 999);
  return { time: mostRecent(result, time.getTime(), now), kind: isDay ? 'day' : 'moment' };
}

function isWholeDay(result: ParsedResult): boolean {
  const { start } = result;
  const hasDay = start.isCertain('day') || start.isCertain('weekday');
  const partOfDay = /relativeDate|casualReference\/(now|morning|noon|afternoon|evening|midnight|night)/i;
  return hasDay && !start.isCertain('hour') && ![...result.tags()].some((tag) => partOfDay.test(tag));
}

/** Restore points lie in the past, so `friday` and `14:00` mean the most recent one. */
function mostRecent({ start, text }: ParsedResult, time: number, now: number): number {
  if (time <= now || start.isCertain('day') || start.isCertain('month') || /\bnext\b/i.test(text)) return time;
  if (start.isCertain('weekday')) return daysBefore(time, 7);
  return start.isCertain('hour') ? daysBefore(time, 1) : time;
}

/** Keeps the local time across changes to daylight saving. */
function daysBefore(time: number, days: number): number {
  const date = new Date(time);
  return date.setDate(date.getDate() - days);
}
