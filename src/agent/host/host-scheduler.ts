import type { Clock } from '../../base/clock.ts';
import { locationOf } from '../home/destination-location.ts';
import type { Home } from '../home/home.ts';
import type { Readings, Timers } from '../schedule/ports.ts';
import { Scheduler } from '../schedule/scheduler.ts';
import type { DestinationWatches } from './destination/destination-watches.ts';
import type { HomeSettings } from './home-settings.ts';
import type { StateChanges } from './state-changes.ts';
import type { KnownRuns } from './activity/known-runs.ts';
import type { RunQueue } from './runs/run-queue.ts';
import type { BegunRun, EndedRun } from './runs/run-request.ts';
import type { RunStarter } from './runs/run-starter.ts';

export interface HostSchedulerParts {
  readonly home: Home;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly readings: Readings;
  readonly settings: HomeSettings;
  readonly known: Pick<KnownRuns, 'last'>;
  readonly runs: Pick<RunQueue, 'busySet' | 'ongoing' | 'preempt' | 'subscribe'>;
  readonly starter: Pick<RunStarter, 'backup' | 'verify' | 'drill'>;
  readonly destination: Pick<DestinationWatches, 'checkAll' | 'statusOf' | 'onFound'>;
  readonly changes: StateChanges;
}

/** The kinds of runs that the scheduler starts, and continues. */
const SCHEDULED: ReadonlySet<EndedRun['kind']> = new Set(['backup', 'verify', 'drill']);

/** Creates the scheduler of the host: its runs are those of the queue, and it decides again when a run ends or a destination is back. */
export function hostScheduler(parts: HostSchedulerParts): Scheduler {
  const { home, clock, timers, readings, settings, known, runs, starter, destination, changes } = parts;
  const scheduler = new Scheduler({
    home,
    clock,
    timers,
    readings,
    sets: () => settings.load()?.sets ?? [],
    destinations: () =>
      (settings.load()?.all ?? []).map(({ id, destination: at, schedule }) => ({
        id,
        location: locationOf(at),
        schedule,
      })),
    lastRun: (scheduled) => known.last(scheduled),
    isRunning: () => runs.busySet,
    activeRun: () => runs.ongoing(),
    absent: async () => {
      await destination.checkAll();
      const absent = settings.entries.filter(({ id }) => !destination.statusOf(id).isPresent);
      return new Set(absent.map(({ id }) => id));
    },
    startBackup: (set, at, trigger, first) => outcomeOf(starter.backup(set, trigger, { first, at })),
    preempt: () => runs.preempt(),
    startVerify: (set, samplePercent) => outcomeOf(starter.verify(set, samplePercent, 'schedule')),
    startDrill: (set) => outcomeOf(starter.drill(set, 'schedule')),
    onChange: () => changes.notify(),
  });
  destination.onFound(() => scheduler.wake('destination'));
  runs.subscribe({
    ended: ({ kind, trigger }) => {
      // The scheduler tracks the ends of its own runs. A restore that resumes by itself is none of them.
      if (trigger === 'person' || !SCHEDULED.has(kind)) scheduler.runEnded();
    },
    endedAt: () => scheduler.runEnded(),
  });
  return scheduler;
}

async function outcomeOf(begun: Promise<BegunRun>): Promise<EndedRun['outcome']> {
  const { ended } = await begun;
  return (await ended).outcome;
}
