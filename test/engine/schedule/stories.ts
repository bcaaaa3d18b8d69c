import type { Schedule } from '../../../src/engine/schedule/schedule.ts';
import type { ScheduleSimulation } from './schedule-simulation.ts';

export const daily = (hour: number, minute = 0): Schedule => ({ kind: 'daily', at: hour * 60 + minute });
export const hourly: Schedule = { kind: 'every', minutes: 60 };
export const cron = (expression: string): Schedule => ({ kind: 'cron', expression });

/** A name, what happened, and the runs that came of it. */
export type Story = readonly [name: string, simulation: () => ScheduleSimulation, runs: readonly string[]];

/** What became of it, by the clock in UTC: `11-02 18:30 schedule`, with `(asleep)` or `(waited: battery)` where it was late. */
export function told(simulation: ScheduleSimulation): readonly string[] {
  return simulation.runs.map(({ at, trigger, lateBy, waitedFor }) => {
    const late = lateBy === undefined ? '' : ` (${lateBy}${waitedFor === undefined ? '' : `: ${waitedFor}`})`;
    return `${new Date(at).toISOString().slice(5, 16).replace('T', ' ')} ${trigger}${late}`;
  });
}
