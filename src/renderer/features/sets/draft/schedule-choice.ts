import { Cron } from 'croner';

/** 0 is Sunday, as in cron. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** From Monday, as most regions do. */
export const WEEK: readonly Weekday[] = [1, 2, 3, 4, 5, 6, 0];

/** A schedule as the form builds it. Times of day are minutes after midnight. */
export type ScheduleChoice =
  | { readonly kind: 'manual' }
  | { readonly kind: 'every'; readonly minutes: number }
  | { readonly kind: 'daily'; readonly at: number }
  | { readonly kind: 'weekly'; readonly days: readonly Weekday[]; readonly at: number }
  | { readonly kind: 'cron'; readonly expression: string }
  | { readonly kind: 'change'; readonly quietMinutes: number };

const NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const WORKDAYS: readonly Weekday[] = [1, 2, 3, 4, 5];

/** Parses `SetForm.schedule`. Text of no known form is a cron rule. */
export function parseSchedule(words: string): ScheduleChoice {
  const spec = words.trim();
  const text = spec.toLowerCase();
  if (text === 'manual') return { kind: 'manual' };
  if (text === 'hourly') return { kind: 'every', minutes: 60 };
  const every = /^every (\d+) (minute|hour)s?$/.exec(text);
  if (every) return { kind: 'every', minutes: Number(every[1]) * (every[2] === 'hour' ? 60 : 1) };
  const change = /^on change(?: after (\d+) (minute|hour)s?)?$/.exec(text);
  if (change) {
    return { kind: 'change', quietMinutes: Number(change[1] ?? 10) * (change[2] === 'hour' ? 60 : 1) };
  }
  return parseTimed(text) ?? parseCron(spec.replace(/^cron\s+/i, ''));
}

function parseTimed(text: string): ScheduleChoice | undefined {
  const timed = /^(daily|weekdays|weekly (\w+)) (\d{1,2}):(\d{2})$/.exec(text);
  if (!timed) return undefined;
  const at = Number(timed[3]) * 60 + Number(timed[4]);
  if (timed[1] === 'daily') return { kind: 'daily', at };
  if (timed[1] === 'weekdays') return { kind: 'weekly', days: WORKDAYS, at };
  const day = NAMES.findIndex((name) => name === timed[2]);
  return day === -1 ? undefined : { kind: 'weekly', days: [day as Weekday], at };
}

/** Several weekdays at one time are stored as a cron rule, which the form hides. */
function parseCron(expression: string): ScheduleChoice {
  const weekly = /^(\d{1,2}) (\d{1,2}) \* \* ([0-6](?:,[0-6])+)$/.exec(expression);
  if (!weekly) return { kind: 'cron', expression };
  const days = new Set(weekly[3]!.split(',').map(Number));
  return {
    kind: 'weekly',
    days: WEEK.filter((day) => days.has(day)),
    at: Number(weekly[2]) * 60 + Number(weekly[1]),
  };
}

/** Formats a schedule for the agent. */
export function printSchedule(choice: ScheduleChoice): string {
  switch (choice.kind) {
    case 'manual':
      return 'manual';
    case 'every':
      if (choice.minutes === 60) return 'hourly';
      return choice.minutes % 60 === 0 ? `every ${choice.minutes / 60} hours` : `every ${choice.minutes} minutes`;
    case 'daily':
      return `daily ${timeOfDay(choice.at)}`;
    case 'weekly':
      return printWeekly(choice.days, choice.at);
    case 'cron':
      return `cron ${choice.expression.trim()}`;
    case 'change':
      return `on change after ${choice.quietMinutes} minutes`;
  }
}

function printWeekly(days: readonly Weekday[], at: number): string {
  if (days.length === 7) return `daily ${timeOfDay(at)}`;
  if (days.length === 1) return `weekly ${NAMES[days[0]!]} ${timeOfDay(at)}`;
  if (days.length === 5 && WORKDAYS.every((day) => days.includes(day))) return `weekdays ${timeOfDay(at)}`;
  return `cron ${at % 60} ${Math.floor(at / 60)} * * ${days.toSorted((a, b) => a - b).join(',')}`;
}

function timeOfDay(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

export type ScheduleProblem = 'interval' | 'days' | 'cron' | 'never';

/** Checks a schedule. The agent accepts intervals from 5 minutes to a day. */
export function scheduleProblem(choice: ScheduleChoice, now: number): ScheduleProblem | undefined {
  switch (choice.kind) {
    case 'every':
      return choice.minutes >= 5 && choice.minutes <= 24 * 60 ? undefined : 'interval';
    case 'weekly':
      return choice.days.length === 0 ? 'days' : undefined;
    case 'cron':
      if (choice.expression.trim().split(/\s+/).length !== 5) return 'cron';
      try {
        return new Cron(choice.expression).nextRun(new Date(now)) ? undefined : 'never';
      } catch {
        return 'cron';
      }
    case 'manual':
    case 'daily':
    case 'change':
      return undefined;
  }
}

/**
 * Returns the next `count` times after `now` in milliseconds since the epoch; none if they are unknown or the choice is
 * wrong. An interval counts from `now`.
 *
 * @param first the next time that the agent has decided on; ignored if it has passed
 */
export function nextTimes(choice: ScheduleChoice, now: number, count: number, first?: number): readonly number[] {
  if (scheduleProblem(choice, now)) return [];
  if (choice.kind === 'manual' || choice.kind === 'change') return [];
  if (first !== undefined && first > now) return [first, ...nextTimes(choice, first, count - 1)];
  switch (choice.kind) {
    case 'every':
      return Array.from({ length: count }, (_, index) => now + (index + 1) * choice.minutes * 60_000);
    case 'daily':
      return cronTimes(`${choice.at % 60} ${Math.floor(choice.at / 60)} * * *`, now, count);
    case 'weekly':
      return cronTimes(`${choice.at % 60} ${Math.floor(choice.at / 60)} * * ${choice.days.join(',')}`, now, count);
    case 'cron':
      return cronTimes(choice.expression, now, count);
  }
}

function cronTimes(expression: string, now: number, count: number): readonly number[] {
  return new Cron(expression).nextRuns(count, new Date(now)).map((date) => date.getTime());
}
