export interface Formats {
  readonly number: (value: number) => string;
  /** In units of 1,000. */
  readonly bytes: (value: number) => string;
  readonly percent: (part: number) => string;
  /** An ISO 8601 time, or milliseconds, in the time zone of the reader. */
  readonly dateTime: (time: string | number) => string;
  readonly day: (time: string | number) => string;
  /** “3 hours ago”. */
  readonly ago: (time: string, now?: number) => string;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

const STEPS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

export function createFormats(language: string): Formats {
  const number = new Intl.NumberFormat(language);
  const short = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return {
    number: (value) => number.format(value),
    bytes: (value) => {
      const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
      return `${short.format(value / 1000 ** power)} ${UNITS[power]!}`;
    },
    percent: (part) => percent.format(part),
    dateTime: (time) => dateTime.format(new Date(time)),
    day: (time) => day.format(new Date(time)),
    ago: (time, now = Date.now()) => {
      const seconds = (Date.parse(time) - now) / 1000;
      const [unit, length] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? (['minute', 60] as const);
      return relative.format(Math.round(seconds / length), unit);
    },
  };
}
