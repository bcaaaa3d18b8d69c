import { Cron } from 'croner';
import { WEEKDAYS, type CalendarSchedule } from './schedule.ts';

/** Returns whether a text is a cron expression: five fields, as croner parses them. It may have no moment. */
export function isCronExpression(text: string): boolean {
  if (text.split(/\s+/).length !== 5) return false;
  try {
    patternOf(text, undefined);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a schedule has any moment: the 30th of February has none. */
export function hasMoment(schedule: CalendarSchedule): boolean {
  return patternOf(expressionOf(schedule), undefined).nextRun() !== null;
}

/**
 * Returns the first moment after a time, if there is one. A clock time that daylight saving skips becomes the end of the
 * gap; of a repeated one, the first counts. (Times by `*` or a step follow the hours as they pass.)
 *
 * @param after milliseconds since the epoch, as the result
 * @param timeZone of the IANA database. This computer's by default
 */
export function nextMoment(
  schedule: CalendarSchedule,
  after: number,
  timeZone: string | undefined,
): number | undefined {
  return patternOf(expressionOf(schedule), timeZone).nextRun(new Date(after))?.getTime();
}

function expressionOf(schedule: CalendarSchedule): string {
  switch (schedule.kind) {
    case 'cron':
      return schedule.expression;
    case 'daily':
      return `${clockFields(schedule.at)} * * *`;
    case 'weekly':
      return `${clockFields(schedule.at)} * * ${schedule.days.map((day) => (WEEKDAYS.indexOf(day) + 1) % 7).join(',')}`;
  }
}

function clockFields(minutes: number): string {
  return `${minutes % 60} ${Math.floor(minutes / 60)}`;
}

const patterns = new Map<string, Cron>();

/** Caches the parsed patterns, since parsing is slow and there are few. */
function patternOf(expression: string, timeZone: string | undefined): Cron {
  const key = `${timeZone ?? ''} ${expression}`;
  const known = patterns.get(key);
  if (known) return known;
  const options = { paused: true, mode: '5-part', fixedTimeRule: 'no-wildcard' } as const;
  const pattern = new Cron(expression, timeZone === undefined ? options : { ...options, timezone: timeZone });
  patterns.set(key, pattern);
  return pattern;
}
