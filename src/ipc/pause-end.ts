import { HOUR } from '../model/units.ts';

/** The chosen length of a pause, counted from the moment of the choice. */
export type PauseEnd = 'hour' | 'morning' | 'resumed';

/** The hour of the day at which “until tomorrow” ends, wherever it is chosen. */
const MORNING = 6;

/**
 * Returns the end of a pause that begins at `now`, both in milliseconds since the epoch; `undefined` for one without an
 * end.
 */
export function pauseEnd(until: PauseEnd, now: number): number | undefined {
  switch (until) {
    case 'hour':
      return now + HOUR;
    case 'morning': {
      const morning = new Date(now);
      morning.setDate(morning.getDate() + 1);
      return morning.setHours(MORNING, 0, 0, 0);
    }
    case 'resumed':
      return undefined;
  }
}
