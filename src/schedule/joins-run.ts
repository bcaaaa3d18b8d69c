import type { Decision } from '../model/schedule/decision.ts';
import type { Schedule } from '../model/schedule/schedule.ts';
import { MINUTE } from '../model/units.ts';

/** A backup may join a run that starts this long before its own, or a quarter of its interval if that is less. */
const NEAR = 5 * MINUTE;

/**
 * Decides whether the backup to one destination joins a run of the same set that starts now, so that the set is read once
 * for both. Only intervals drift apart; other schedules are due at the same moments.
 *
 * @param decision about the backup that may join
 * @param starting the schedules whose moments the run serves
 */
export function joins(decision: Decision, schedule: Schedule, starting: readonly Schedule[], now: number): boolean {
  if (schedule.kind !== 'every' || decision.kind !== 'next' || starting.length === 0) return false;
  const interval = schedule.minutes * MINUTE;
  const isSame = starting.some((other) => other.kind === 'every' && other.minutes === schedule.minutes);
  return decision.at - now <= (isSame ? interval / 2 : Math.min(NEAR, interval / 4));
}
