export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];
/** From Monday to Friday. */
export const WORKDAYS = WEEKDAYS.slice(0, 5);

/** Calendar schedules. Times are local, in minutes after midnight. */
export type CalendarSchedule =
  | { readonly kind: 'daily'; readonly at: number }
  | { readonly kind: 'weekly'; readonly days: readonly Weekday[]; readonly at: number }
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  | { readonly kind: 'cron'; readonly expression: string };

/** When a set, or everything at a destination, is to be backed up. */
export type Schedule =
  | { readonly kind: 'manual' }
  /** From the start of one run to the start of the next. */
  | { readonly kind: 'every'; readonly minutes: number }
  | CalendarSchedule
  /** After changes, once nothing has changed for this long. */
  | { readonly kind: 'on-change'; readonly quietMinutes: number };
