import { DAY } from '../model/units.ts';

/** Milliseconds since the epoch, or ISO 8601. */
export type Moment = string | number;

/** Formats times in the reader's time zone. `now` is for tests. */
export interface TimeFormats {
  readonly dateTime: (time: Moment) => string;
  /** The seconds as well. */
  readonly dateTimeSeconds: (time: Moment) => string;
  readonly day: (time: Moment) => string;
  /** “July 2027”. */
  readonly month: (time: Moment) => string;
  /** The hour and the minute. */
  readonly clock: (time: Moment) => string;
  /** The seconds as well. */
  readonly clockSeconds: (time: Moment) => string;
  /** “3 hours ago”. */
  readonly ago: (time: Moment, now?: number) => string;
  /** “today 14:05”, “yesterday 14:05”, “Tuesday 14:05”, and further away the whole date. */
  readonly when: (time: Moment, now?: number) => string;
  /** The seconds as well. */
  readonly whenSeconds: (time: Moment, now?: number) => string;
  /** “today”, “yesterday”, “Tuesday”, and further away the date: the heading of a day's entries. */
  readonly dayName: (time: Moment, now?: number) => string;
  /** A duration: “45 s”, “2 min 5 s”, “1 h 3 min”. */
  readonly duration: (seconds: number) => string;
  /** An estimated duration, rounded to the precision of an estimate: “about 12 minutes”. */
  readonly remaining: (seconds: number) => string;
}

const STEPS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Words that Intl lacks. */
const WORDS: Readonly<
  Record<string, { readonly about: (length: string) => string; readonly lessThanAMinute: string }>
> = {
  en: { about: (length) => `about ${length}`, lessThanAMinute: 'less than a minute' },
  de: { about: (length) => `etwa ${length}`, lessThanAMinute: 'weniger als eine Minute' },
  fr: { about: (length) => `environ ${length}`, lessThanAMinute: 'moins d’une minute' },
  es: { about: (length) => `alrededor de ${length}`, lessThanAMinute: 'menos de un minuto' },
  ja: { about: (length) => `約 ${length}`, lessThanAMinute: '1 分未満' },
  ar: { about: (length) => `حوالي ${length}`, lessThanAMinute: 'أقل من دقيقة' },
};

export function createTimeFormats(language: string): TimeFormats {
  const words = WORDS[language.split('-')[0]!] ?? WORDS['en']!;
  const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const dateTimeSeconds = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });
  const month = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric' });
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long' });
  const clock = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
  const seconds = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'long' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const brief = (value: number, unit: string): string => unitFormat(language, unit, 'short').format(value);
  const long = (value: number, unit: string): string => unitFormat(language, unit, 'long').format(value);

  const nearDay = (time: Moment, now: number): string | undefined => {
    const days = calendarDay(time) - calendarDay(now);
    if (Math.abs(days) <= 1) return relative.format(days, 'day');
    return Math.abs(days) < 7 ? weekday.format(new Date(time)) : undefined;
  };

  return {
    dateTime: (time) => dateTime.format(new Date(time)),
    dateTimeSeconds: (time) => dateTimeSeconds.format(new Date(time)),
    day: (time) => day.format(new Date(time)),
    month: (time) => month.format(new Date(time)),
    clock: (time) => clock.format(new Date(time)),
    clockSeconds: (time) => seconds.format(new Date(time)),
    ago: (time, now = Date.now()) => {
      const away = (new Date(time).getTime() - now) / 1000;
      const [unit, length] = STEPS.find(([, size]) => Math.abs(away) >= size) ?? (['minute', 60] as const);
      return relative.format(Math.round(away / length), unit);
    },
    when: (time, now = Date.now()) => {
      const relativeDay = nearDay(time, now);
      return relativeDay === undefined
        ? dateTime.format(new Date(time))
        : `${relativeDay} ${clock.format(new Date(time))}`;
    },
    whenSeconds: (time, now = Date.now()) => {
      const relativeDay = nearDay(time, now);
      return relativeDay === undefined
        ? dateTimeSeconds.format(new Date(time))
        : `${relativeDay} ${seconds.format(new Date(time))}`;
    },
    dayName: (time, now = Date.now()) => nearDay(time, now) ?? date.format(new Date(time)),
    duration: (length) => {
      const whole = Math.max(0, Math.round(length));
      if (whole === 0) return `< ${brief(1, 'second')}`;
      if (whole < 60) return brief(whole, 'second');
      if (whole < 3_600) return joined(brief(Math.floor(whole / 60), 'minute'), whole % 60, brief, 'second');
      const minutes = Math.round(whole / 60);
      return joined(brief(Math.floor(minutes / 60), 'hour'), minutes % 60, brief, 'minute');
    },
    remaining: (length) => {
      if (length < 45) return words.lessThanAMinute;
      const minutes = Math.max(1, Math.round(length / 60));
      if (minutes < 10) return words.about(long(minutes, 'minute'));
      if (minutes < 58) return words.about(long(Math.round(minutes / 5) * 5, 'minute'));
      const hours = Math.round(minutes / 30) / 2;
      if (hours < 24) return words.about(long(hours < 10 ? hours : Math.round(hours), 'hour'));
      return words.about(long(Math.round(hours / 24), 'day'));
    },
  };
}

function joined(
  first: string,
  rest: number,
  write: (value: number, unit: string) => string,
  unit: 'second' | 'minute',
): string {
  return rest === 0 ? first : `${first} ${write(rest, unit)}`;
}

function unitFormat(language: string, unit: string, unitDisplay: 'short' | 'long'): Intl.NumberFormat {
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay });
}

/** Returns the day number in the reader's calendar; the clock may have changed between two days. */
function calendarDay(time: Moment): number {
  const local = new Date(time);
  return Math.round(Date.UTC(local.getFullYear(), local.getMonth(), local.getDate()) / DAY);
}

/** A moment in the middle of a sentence: today's needs no day, `14:30`, all others `tomorrow 14:30`. Milliseconds. */
export function momentWords(at: number, now: number, formats: TimeFormats): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? formats.clock(at) : formats.when(at, now);
}
