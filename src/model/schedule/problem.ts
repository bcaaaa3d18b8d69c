import { hasMoment, isCronExpression } from './moments.ts';
import type { Schedule } from './schedule.ts';

/** Why a schedule cannot be followed: what it lacks or exceeds, a rule that is none, or one without any moment. */
export type ScheduleProblem = 'interval' | 'quiet' | 'days' | 'cron' | 'never';

const DAY_MINUTES = 24 * 60;
/** Runs that follow each other more closely would be one. */
const SHORTEST_INTERVAL = 5;

/** Returns what is wrong with a schedule, as a form may hold it while somebody enters it. */
export function scheduleProblem(schedule: Schedule): ScheduleProblem | undefined {
  switch (schedule.kind) {
    case 'every':
      return schedule.minutes >= SHORTEST_INTERVAL && schedule.minutes <= DAY_MINUTES ? undefined : 'interval';
    case 'on-change':
      return schedule.quietMinutes >= 1 && schedule.quietMinutes <= DAY_MINUTES ? undefined : 'quiet';
    case 'weekly':
      return schedule.days.length === 0 ? 'days' : undefined;
    case 'cron':
      if (!isCronExpression(schedule.expression.trim())) return 'cron';
      return hasMoment(schedule) ? undefined : 'never';
    case 'manual':
    case 'daily':
      return undefined;
  }
}
