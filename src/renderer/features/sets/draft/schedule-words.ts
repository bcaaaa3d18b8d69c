import type { Language } from '../../../../strings/strings.ts';
import { WEEK } from './schedule-choice.ts';
import type { ScheduleChoice, Weekday } from './schedule-choice.ts';

/** Describes a schedule in one sentence. */
export function scheduleSentence(choice: ScheduleChoice, language: Language): string {
  const words = language.strings.sets.when.sentence;
  switch (choice.kind) {
    case 'manual':
      return words.manual;
    case 'every':
      return choice.minutes % 60 === 0 && choice.minutes > 0
        ? words.everyHours(choice.minutes / 60)
        : words.everyMinutes(choice.minutes);
    case 'daily':
      return words.daily(timeOfDay(choice.at, language));
    case 'weekly':
      return isWorkdays(choice.days)
        ? words.workdays(timeOfDay(choice.at, language))
        : words.weekly(dayList(choice.days, language), timeOfDay(choice.at, language));
    case 'cron':
      return words.cron;
    case 'change':
      return words.change(choice.quietMinutes);
  }
}

/** Describes a schedule in a word or two. */
export function scheduleWords(choice: ScheduleChoice, language: Language): string {
  const words = language.strings.sets.when;
  switch (choice.kind) {
    case 'daily':
    case 'weekly':
      return language.formats.series([words.kinds[choice.kind], timeOfDay(choice.at, language)]);
    case 'every':
      return choice.minutes % 60 === 0 && choice.minutes > 0
        ? words.everyHours(choice.minutes / 60)
        : words.everyMinutes(choice.minutes);
    case 'cron':
    case 'change':
    case 'manual':
      return words.kinds[choice.kind];
  }
}

/** Returns the name of a weekday in the person's region. */
export function weekdayName(day: Weekday, { region }: Language, style: 'long' | 'short' = 'long'): string {
  // 4 January 2026 is a Sunday.
  return new Intl.DateTimeFormat(region, { weekday: style, timeZone: 'UTC' }).format(Date.UTC(2026, 0, 4 + day));
}

function dayList(days: readonly Weekday[], language: Language): string {
  const names = WEEK.filter((day) => days.includes(day)).map((day) => weekdayName(day, language));
  return language.formats.list(names);
}

function isWorkdays(days: readonly Weekday[]): boolean {
  return days.length === 5 && !days.includes(0) && !days.includes(6);
}

function timeOfDay(minutes: number, { region }: Language): string {
  const time = new Date(2026, 0, 4, Math.floor(minutes / 60), minutes % 60);
  return new Intl.DateTimeFormat(region, { timeStyle: 'short' }).format(time);
}
