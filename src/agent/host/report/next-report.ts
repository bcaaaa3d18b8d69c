import type { ReportSettings } from '../../../ipc/contract/report.ts';
import type { StoredReport } from '../../operations/report/report-file.ts';
import { DAY, HOUR } from '../../../model/units.ts';

/** Between two attempts. */
const RETRY_MS = HOUR;
/** A server or a network may be away for a while, without anybody having to know. */
const PATIENCE_MS = DAY;

/** Returns when the next report is due, in milliseconds since the epoch: in the past if it was missed. `undefined` while it is off. */
export function nextReport({ settings, since, sentAt }: StoredReport, now: number): number | undefined {
  if (!settings.isOn) return undefined;
  // A clock that was ahead must not stop reports for long.
  const last = Math.min(Math.max(since, sentAt ?? 0), now);
  const newest = newestMoment(settings, now);
  return newest > last ? newest : momentAfter(settings, now);
}

/** Returns whether an attempt should be made now. */
export function isReportDue(stored: StoredReport, now: number): boolean {
  const next = nextReport(stored, now);
  if (next === undefined || next > now) return false;
  const { failed } = stored;
  return !failed || Math.abs(now - failed.at) >= RETRY_MS || failed.at < next;
}

/** Returns the last failure, once a report has been due for a day, or at once if some of its recipients have got it. */
export function lastingFailure(stored: StoredReport | undefined, now: number): StoredReport['failed'] {
  const next = stored && nextReport(stored, now);
  const isPart = stored?.failed?.at === stored?.sentAt;
  return next !== undefined && (isPart || now - next >= PATIENCE_MS) ? stored?.failed : undefined;
}

/** The last moment of the schedule up to now, as the clocks here show it. */
function newestMoment(settings: ReportSettings, now: number): number {
  const today = new Date(now);
  const daysAgo = (today.getDay() - settings.weekday + 7) % 7;
  const candidate = momentOn(today, -daysAgo, settings.minute);
  return candidate <= now ? candidate : momentOn(today, -daysAgo - 7, settings.minute);
}

function momentAfter(settings: ReportSettings, now: number): number {
  return momentOn(new Date(newestMoment(settings, now)), 7, settings.minute);
}

/** By the calendar: a day may have 23 or 25 hours. */
function momentOn(day: Date, days: number, minute: number): number {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, 0, minute).getTime();
}
