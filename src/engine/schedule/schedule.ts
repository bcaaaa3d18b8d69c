export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** At moments of the calendar. Times are local, in minutes after midnight. */
export type CalendarSchedule =
  | { readonly kind: 'daily'; readonly at: number }
  | { readonly kind: 'weekly'; readonly days: readonly Weekday[]; readonly at: number }
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  | { readonly kind: 'cron'; readonly expression: string };

/** When a set wants to be backed up. */
export type Schedule =
  | { readonly kind: 'manual' }
  /** From the start of one run to the start of the next. */
  | { readonly kind: 'every'; readonly minutes: number }
  | CalendarSchedule
  /** When nothing has changed for so long since something did. */
  | { readonly kind: 'on-change'; readonly quietMinutes: number };
