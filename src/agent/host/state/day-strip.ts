import type { JobEnd } from '../../../engine/job/journal.ts';
import type { DayState } from '../../../ipc/state.ts';
import { outcomeOf } from '../../history/finished-runs.ts';

/** Days of the strip. */
const DAYS = 30;

type End = Pick<JobEnd, 'backupSet' | 'state' | 'endedAt'>;

/** When the first day of the strip begins, in milliseconds since the epoch. */
export function stripStart(now: number): number {
  return dayStart(now, DAYS - 1);
}

/**
 * The last 30 days of this computer's calendar, oldest first. A set's day is as good as its last backup that was whole;
 * where none was and one failed, the day has failed. The day of all sets is that of the worst.
 *
 * @param ends backups that ended since `stripStart`, oldest first
 */
export function dayStrip(ends: readonly End[], now: number): readonly DayState[] {
  const byDate = Map.groupBy(ends, ({ endedAt }) => dateOf(new Date(endedAt)));
  return Array.from({ length: DAYS }, (_, index) => {
    const date = dateOf(new Date(dayStart(now, DAYS - 1 - index)));
    const runs = byDate.get(date) ?? [];
    const bySet = new Set(
      Map.groupBy(runs, ({ backupSet }) => backupSet)
        .values()
        .map(outcomeOfDay),
    );
    return { date, outcome: WORST_FIRST.find((outcome) => bySet.has(outcome)) ?? 'none', runs: runs.length };
  });
}

const WORST_FIRST: readonly DayState['outcome'][] = ['failed', 'warnings', 'succeeded', 'none'];

function outcomeOfDay(runs: readonly End[]): DayState['outcome'] {
  const outcomes = runs.map(({ state }) => outcomeOf(state));
  const good = outcomes.findLast((outcome) => outcome === 'succeeded' || outcome === 'warnings');
  if (good === 'succeeded' || good === 'warnings') return good;
  return outcomes.includes('failed') ? 'failed' : 'none';
}

/** Days are not all of 24 hours: the calendar counts them. */
function dayStart(now: number, daysBefore: number): number {
  const today = new Date(now);
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysBefore).getTime();
}

function dateOf(day: Date): string {
  const two = (figure: number): string => String(figure).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
