import type { RetentionPeriod } from '../protocol/retention.ts';
import { DAY, HOUR, MINUTE } from '../model/units.ts';

/** A moment in the local time of a time zone. */
interface LocalTime {
  readonly year: number;
  readonly month: number;
  /** Days since 1970-01-01 of the local calendar. */
  readonly day: number;
  readonly hour: number;
  /** Milliseconds by which local time is ahead of UTC. */
  readonly offset: number;
}

/**
 * The hours, days, weeks, months and years of a time zone. A day lasts from midnight to midnight local time, whether it has 23, 24
 * or 25 hours; an hour that is repeated when clocks are set back counts as two.
 */
export class Calendar {
  readonly #format: Intl.DateTimeFormat;

  /** @param timeZone an IANA name @throws RangeError if it is unknown */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** Returns a key for each kind of period; moments (milliseconds since the epoch) in the same period have the same key. */
  keysOf(time: number): Readonly<Record<RetentionPeriod, string>> {
    const { year, month, day, hour, offset } = this.#localTime(time);
    // 1970-01-01 was a Thursday.
    const monday = day - ((((day + 3) % 7) + 7) % 7);
    return {
      hourly: `${day}:${hour}:${offset}`,
      daily: String(day),
      weekly: String(monday),
      monthly: `${year}:${month}`,
      yearly: String(year),
    };
  }

  #localTime(time: number): LocalTime {
    const parts = new Map<string, string>();
    for (const { type, value } of this.#format.formatToParts(time)) parts.set(type, value);
    const part = (type: string): number => Number(parts.get(type));
    const year = part('year');
    const month = part('month');
    const hour = part('hour');
    const midnight = Date.UTC(year, month - 1, part('day'));
    const local = midnight + hour * HOUR + part('minute') * MINUTE + part('second') * 1_000;
    return { year, month, day: midnight / DAY, hour, offset: local - Math.floor(time / 1_000) * 1_000 };
  }
}
