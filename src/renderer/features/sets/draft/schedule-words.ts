import type { Language } from '../../../../strings/strings.ts';
import { isWorkdays } from '../../../../model/schedule/grammar.ts';
import { WEEKDAYS } from '../../../../model/schedule/schedule.ts';
import type { Schedule, Weekday } from '../../../../model/schedule/schedule.ts';

/** Describes a schedule in one sentence. */
export function scheduleSentence(schedule: Schedule, language: Language): string {
  const words = language.strings.sets.when.sentence;
  switch (schedule.kind) {
    case 'manual':
      return words.manual;
    case 'every':
      return schedule.minutes % 60 === 0 && schedule.minutes > 0
        ? words.everyHours(schedule.minutes / 60)
        : words.everyMinutes(schedule.minutes);
    case 'daily':
      return words.daily(timeOfDay(schedule.at, language));
    case 'weekly':
      return isWorkdays(schedule.days)
        ? words.workdays(timeOfDay(schedule.at, language))
        : words.weekly(dayList(schedule.days, language), timeOfDay(schedule.at, language));
    case 'cron':
      return words.cron;
    case 'on-change':
      return words.change(schedule.quietMinutes);
  }
}

/** Describes a schedule in a word or two. */
export function scheduleWords(schedule: Schedule, language: Language): string {
  const words = language.strings.sets.when;
  switch (schedule.kind) {
    case 'daily':
    case 'weekly':
      return language.formats.series([words.kinds[schedule.kind], timeOfDay(schedule.at, language)]);
    case 'every':
      return schedule.minutes % 60 === 0 && schedule.minutes > 0
        ? words.everyHours(schedule.minutes / 60)
        : words.everyMinutes(schedule.minutes);
    case 'cron':
    case 'on-change':
    case 'manual':
      return words.kinds[schedule.kind];
  }
}

/** Returns the name of a weekday in the person's region. */
export function weekdayName(day: Weekday, { region }: Language, style: 'long' | 'short' = 'long'): string {
  // 5 January 2026 is a Monday.
  return new Intl.DateTimeFormat(region, { weekday: style, timeZone: 'UTC' }).format(
    Date.UTC(2026, 0, 5 + WEEKDAYS.indexOf(day)),
  );
}

function dayList(days: readonly Weekday[], language: Language): string {
  const names = WEEKDAYS.filter((day) => days.includes(day)).map((day) => weekdayName(day, language));
  return language.formats.list(names);
}

function timeOfDay(minutes: number, { region }: Language): string {
  const time = new Date(2026, 0, 4, Math.floor(minutes / 60), minutes % 60);
  return new Intl.DateTimeFormat(region, { timeStyle: 'short' }).format(time);
}
