import { HoldfastError } from '../../base/errors/errors.ts';
import { isCronExpression } from '../../engine/schedule/calendar.ts';
import { WEEKDAYS, type Schedule } from '../../engine/schedule/schedule.ts';

/** Examples of what `parseSchedule` accepts, for help texts and messages. */
export const SCHEDULE_FORMS = [
  'manual',
  'hourly',
  'every 30 minutes',
  'every 4 hours',
  'daily 18:30',
  'weekdays 18:30',
  'weekly monday 18:30',
  'cron 0 12 * * 1-5',
  'on change after 10 minutes',
] as const;

/** @throws HoldfastError `usage` with `problem: 'schedule'`, `schedule` and the `forms` that are known */
export function parseSchedule(spec: string): Schedule {
  const words = spec.trim().toLowerCase().split(/\s+/);
  const schedule = parseCron(words) ?? parseOnChange(words) ?? parseWords(words);
  if (!schedule) throw new HoldfastError('usage', { problem: 'schedule', schedule: spec, forms: SCHEDULE_FORMS });
  return schedule;
}

function parseCron([first, ...fields]: readonly string[]): Schedule | undefined {
  const expression = fields.join(' ');
  return first === 'cron' && isCronExpression(expression) ? { kind: 'cron', expression } : undefined;
}

function parseOnChange(words: readonly string[]): Schedule | undefined {
  const quiet = /^on change after (\d{1,4}) minutes?$/.exec(words.join(' '));
  const quietMinutes = Number(quiet?.[1] ?? 0);
  return quietMinutes >= 1 && quietMinutes <= 24 * 60 ? { kind: 'on-change', quietMinutes } : undefined;
}

function parseWords([first, second, third, ...rest]: readonly string[]): Schedule | undefined {
  if (rest.length > 0) return undefined;
  if (first === 'manual' || first === 'hourly') {
    if (second !== undefined) return undefined;
    return first === 'manual' ? { kind: 'manual' } : { kind: 'every', minutes: 60 };
  }
  if (first === 'every') return parseInterval(second, third);
  if (first === 'weekly') {
    const days = WEEKDAYS.filter((day) => day === second);
    const at = timeOfDay(third);
    return days.length === 0 || at === undefined ? undefined : { kind: 'weekly', days, at };
  }
  const at = third === undefined ? timeOfDay(second) : undefined;
  if (at === undefined) return undefined;
  if (first === 'daily') return { kind: 'daily', at };
  return first === 'weekdays' ? { kind: 'weekly', days: WEEKDAYS.slice(0, 5), at } : undefined;
}

function parseInterval(count: string | undefined, unit: string | undefined): Schedule | undefined {
  const number = /^\d{1,4}$/.test(count ?? '') ? Number(count) : 0;
  const factor = /^minutes?$/.test(unit ?? '') ? 1 : /^hours?$/.test(unit ?? '') ? 60 : 0;
  const minutes = number * factor;
  return minutes >= 5 && minutes <= 24 * 60 ? { kind: 'every', minutes } : undefined;
}

function timeOfDay(text: string | undefined): number | undefined {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text ?? '');
  if (!match) return undefined;
  const [hour, minute] = [Number(match[1]), Number(match[2])];
  return hour < 24 && minute < 60 ? hour * 60 + minute : undefined;
}
