import { isCronExpression } from './moments.ts';
import { WEEKDAYS, WORKDAYS, type Schedule, type Weekday } from './schedule.ts';
import { scheduleProblem } from './problem.ts';

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

/** Returns the schedule that a text states in one of these forms, in capitals or not; `undefined` if it states none that can be followed. */
export function parseSchedule(text: string): Schedule | undefined {
  const words = text.trim().toLowerCase().split(/\s+/);
  const schedule = parseCron(words) ?? parseOnChange(words) ?? parseWords(words);
  return schedule && scheduleProblem(schedule) === undefined ? schedule : undefined;
}

/** Returns the text of a schedule, which `parseSchedule` reads back. */
export function printSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'manual':
      return 'manual';
    case 'every':
      return printInterval(schedule.minutes);
    case 'daily':
      return `daily ${printTime(schedule.at)}`;
    case 'weekly':
      return printWeekly(schedule.days, schedule.at);
    case 'cron':
      return `cron ${schedule.expression.trim()}`;
    case 'on-change':
      return `on change after ${schedule.quietMinutes} ${schedule.quietMinutes === 1 ? 'minute' : 'minutes'}`;
  }
}

/** Several weekdays at one time have no form of their own: they are a cron rule of this form. */
const WEEKLY_RULE = /^(\d{1,2}) (\d{1,2}) \* \* ([0-6](?:,[0-6])+)$/;

function parseCron([first, ...fields]: readonly string[]): Schedule | undefined {
  const expression = fields.join(' ');
  if (first !== 'cron' || !isCronExpression(expression)) return undefined;
  const [, minute, hour, days] = WEEKLY_RULE.exec(expression) ?? [];
  if (days === undefined) return { kind: 'cron', expression };
  const named = new Set(days.split(',').map(Number));
  return {
    kind: 'weekly',
    days: WEEKDAYS.filter((day) => named.has(numberOf(day))),
    at: Number(hour) * 60 + Number(minute),
  };
}

function parseOnChange(words: readonly string[]): Schedule | undefined {
  const [, quiet] = /^on change after (\d{1,4}) minutes?$/.exec(words.join(' ')) ?? [];
  return quiet === undefined ? undefined : { kind: 'on-change', quietMinutes: Number(quiet) };
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
    const at = parseTime(third);
    return at === undefined ? undefined : { kind: 'weekly', days, at };
  }
  const at = third === undefined ? parseTime(second) : undefined;
  if (at === undefined) return undefined;
  if (first === 'daily') return { kind: 'daily', at };
  return first === 'weekdays' ? { kind: 'weekly', days: WORKDAYS, at } : undefined;
}

function parseInterval(count: string | undefined, unit: string | undefined): Schedule | undefined {
  const factor = /^minutes?$/.test(unit ?? '') ? 1 : /^hours?$/.test(unit ?? '') ? 60 : undefined;
  if (factor === undefined || !/^\d{1,4}$/.test(count ?? '')) return undefined;
  return { kind: 'every', minutes: Number(count) * factor };
}

/** Returns minutes after midnight. */
function parseTime(text: string | undefined): number | undefined {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text ?? '');
  if (!match) return undefined;
  const [hour, minute] = [Number(match[1]), Number(match[2])];
  return hour < 24 && minute < 60 ? hour * 60 + minute : undefined;
}

function printInterval(minutes: number): string {
  if (minutes === 60) return 'hourly';
  return minutes % 60 === 0 ? `every ${minutes / 60} hours` : `every ${minutes} minutes`;
}

function printWeekly(days: readonly Weekday[], at: number): string {
  if (days.length === WEEKDAYS.length) return `daily ${printTime(at)}`;
  if (days.length === 1) return `weekly ${days[0]!} ${printTime(at)}`;
  if (isWorkdays(days)) return `weekdays ${printTime(at)}`;
  const numbers = days.map(numberOf).toSorted((one, other) => one - other);
  return `cron ${at % 60} ${Math.floor(at / 60)} * * ${numbers.join(',')}`;
}

/** Returns whether these are the days from Monday to Friday. */
export function isWorkdays(days: readonly Weekday[]): boolean {
  return days.length === WORKDAYS.length && WORKDAYS.every((day) => days.includes(day));
}

/** That of cron, where 0 is Sunday. */
function numberOf(day: Weekday): number {
  return (WEEKDAYS.indexOf(day) + 1) % 7;
}

function printTime(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
