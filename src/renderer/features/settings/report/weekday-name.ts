import type { Language } from '../../../../strings/strings.ts';

/** @param day 0 is Sunday */
export function weekdayName(day: number, { region }: Language): string {
  // The second of January 2000 was a Sunday.
  return new Intl.DateTimeFormat(region, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2000, 0, 2 + day));
}
