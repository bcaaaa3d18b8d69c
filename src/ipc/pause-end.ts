/** As a person says it; counted from the moment at which they choose it. */
export type PauseEnd = 'hour' | 'morning' | 'resumed';

const HOUR_MS = 3_600_000;
/** The hour of the day at which “until tomorrow” ends, wherever it is chosen. */
const MORNING = 6;

/** When a pause ends that begins at `now`, both in milliseconds since the epoch; nothing for one without an end. */
export function pauseEnd(until: PauseEnd, now: number): number | undefined {
  switch (until) {
    case 'hour':
      return now + HOUR_MS;
    case 'morning': {
      const morning = new Date(now);
      morning.setDate(morning.getDate() + 1);
      return morning.setHours(MORNING, 0, 0, 0);
    }
    case 'resumed':
      return undefined;
  }
}
