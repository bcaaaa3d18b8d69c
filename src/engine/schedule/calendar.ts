import { Cron } from 'croner';
import { WEEKDAYS, type CalendarSchedule } from './schedule.ts';

/** Whether it has five fields, as croner reads them, that name at least one moment. */
export function isCronExpression(expression: string): boolean {
  if (expression.split(' ').length !== 5) return false;
  try {
    return patternOf(expression, undefined).nextRun() !== null;
  } catch {
    return false;
  }
}

/**
 * The first moment after a time; nothing where there is none. Of clock times that daylight saving leaves out, the moment
 * is the end of the gap; of those that it repeats, the first. (Times by `*` or a step follow the hours as they pass.)
 *
 * @param after milliseconds since the epoch, as the result
 * @param timeZone of the IANA database; this computer's where it is missing
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

/** Reading a pattern takes longer than asking it, and there are few. */
function patternOf(expression: string, timeZone: string | undefined): Cron {
  const key = `${timeZone ?? ''} ${expression}`;
  const known = patterns.get(key);
  if (known) return known;
  const options = { paused: true, mode: '5-part', fixedTimeRule: 'no-wildcard' } as const;
  const pattern = new Cron(expression, timeZone === undefined ? options : { ...options, timezone: timeZone });
  patterns.set(key, pattern);
  return pattern;
}
