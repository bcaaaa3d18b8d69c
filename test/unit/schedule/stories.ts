import type { Schedule } from '../../../src/model/schedule/schedule.ts';
import type { ScheduleSimulation } from './schedule-simulation.ts';

export const daily = (hour: number, minute = 0): Schedule => ({ kind: 'daily', at: hour * 60 + minute });
export const hourly: Schedule = { kind: 'every', minutes: 60 };
export const cron = (expression: string): Schedule => ({ kind: 'cron', expression });

/** A name, the course of events, and the expected runs. */
export type Story = readonly [name: string, simulation: () => ScheduleSimulation, runs: readonly string[]];

/** The runs in UTC: `11-02 18:30 schedule`, followed by `(asleep)` or `(waited: battery)` if the run was late. */
export function runsOf(simulation: ScheduleSimulation): readonly string[] {
  return simulation.runs.map(({ at, trigger, lateBy, waitedFor }) => {
    const late = lateBy === undefined ? '' : ` (${lateBy}${waitedFor === undefined ? '' : `: ${waitedFor}`})`;
    return `${new Date(at).toISOString().slice(5, 16).replace('T', ' ')} ${trigger}${late}`;
  });
}
