import { nextMoment } from '../../../../model/schedule/moments.ts';
import { scheduleProblem } from '../../../../model/schedule/problem.ts';
import type { Schedule } from '../../../../model/schedule/schedule.ts';
import { MINUTE } from '../../../../model/units.ts';

/**
 * Returns the next `count` times after `now` in milliseconds since the epoch; none if they are unknown or the schedule cannot be followed.
 * An interval counts from `now`.
 *
 * @param first the next time that the agent has decided on; ignored if it has passed
 */
export function nextTimes(schedule: Schedule, now: number, count: number, first?: number): readonly number[] {
  if (schedule.kind === 'manual' || schedule.kind === 'on-change' || scheduleProblem(schedule) || count <= 0) return [];
  const next = first !== undefined && first > now ? first : momentAfter(schedule, now);
  return next === undefined ? [] : [next, ...nextTimes(schedule, next, count - 1)];
}

function momentAfter(schedule: Exclude<Schedule, { kind: 'manual' | 'on-change' }>, now: number): number | undefined {
  return schedule.kind === 'every' ? now + schedule.minutes * MINUTE : nextMoment(schedule, now, undefined);
}
