import type { JobEnd } from '../../../jobs/job-record.ts';
import type { DayState } from '../../../ipc/home-state.ts';
import { outcomeOf } from '../../history/finished-runs.ts';
import { outcomeOfRun, runsOf } from '../../history/run-jobs.ts';

/** The number of days. */
const DAYS = 30;

type End = Pick<JobEnd, 'backupSet' | 'destination' | 'state' | 'startedAt' | 'endedAt'>;

/** Returns the beginning of the first day, in milliseconds since the epoch. */
export function stripStart(now: number): number {
  return dayStart(now, DAYS - 1);
}

/**
 * Returns the last 30 calendar days, oldest first. The outcome of a set's day at a destination is that of its last complete backup, or a
 * failure if there was none and one failed. The outcome of a set is that of a run to its destinations; the outcome of a day is that
 * of the worst set. A run to several destinations counts once, on the day of its end.
 *
 * @param ends backups that ended since `stripStart`, oldest first
 * @param uploads what they have sent
 */
export function dayStrip(
  ends: readonly End[],
  now: number,
  uploads: readonly { readonly endedAt: number; readonly bytes: number }[] = [],
): readonly DayState[] {
  const bytes = new Map<string, number>();
  for (const { endedAt, bytes: sent } of uploads) {
    const date = dateOf(new Date(endedAt));
    bytes.set(date, (bytes.get(date) ?? 0) + sent);
  }
  const byDate = Map.groupBy(ends, ({ endedAt }) => dateOf(new Date(endedAt)));
  const runsByDate = Map.groupBy(runsOf(ends), (jobs) =>
    dateOf(new Date(Math.max(...jobs.map(({ endedAt }) => endedAt)))),
  );
  return Array.from({ length: DAYS }, (_, index) => {
    const date = dateOf(new Date(dayStart(now, DAYS - 1 - index)));
    const jobs = byDate.get(date) ?? [];
    const bySet = new Set(
      Map.groupBy(jobs, ({ backupSet }) => backupSet)
        .values()
        .map(outcomeOfSet),
    );
    const outcome = WORST_FIRST.find((one) => bySet.has(one)) ?? 'none';
    return { date, outcome, runs: runsByDate.get(date)?.length ?? 0, bytes: bytes.get(date) };
  });
}

const WORST_FIRST: readonly DayState['outcome'][] = ['failed', 'warnings', 'succeeded', 'none'];

function outcomeOfSet(jobs: readonly End[]): DayState['outcome'] {
  const places = [...Map.groupBy(jobs, ({ destination }) => destination).values()].map(outcomeOfDay);
  const outcomes = places.filter((outcome) => outcome !== 'none');
  return outcomes.length === 0 ? 'none' : (outcomeOfRun(outcomes) as DayState['outcome']);
}

function outcomeOfDay(runs: readonly End[]): DayState['outcome'] {
  const outcomes = runs.map(({ state }) => outcomeOf(state));
  const good = outcomes.findLast((outcome) => outcome === 'succeeded' || outcome === 'warnings');
  if (good === 'succeeded' || good === 'warnings') return good;
  return outcomes.includes('failed') ? 'failed' : 'none';
}

/** Uses the calendar, since not every day has 24 hours. */
function dayStart(now: number, daysBefore: number): number {
  const today = new Date(now);
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysBefore).getTime();
}

function dateOf(day: Date): string {
  const two = (figure: number): string => String(figure).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
