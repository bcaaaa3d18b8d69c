import { HoldfastError } from '../../base/errors/errors.ts';
import { parseSchedule, SCHEDULE_FORMS } from '../../model/schedule/grammar.ts';
import type { Schedule } from '../../model/schedule/schedule.ts';

/** @throws HoldfastError `usage` with `problem: 'schedule'`, `schedule` and the `forms` that are known */
export function requireSchedule(text: string): Schedule {
  const schedule = parseSchedule(text);
  if (!schedule) throw new HoldfastError('usage', { problem: 'schedule', schedule: text, forms: SCHEDULE_FORMS });
  return schedule;
}
