import type { NetworkState } from '../../os/power/network.ts';
import type { PowerState } from '../../os/power/ports.ts';
import type { EndedRun } from '../../schedule/ended-run.ts';
import type { Outcome, Trigger, ActiveRun } from '../../model/run.ts';
import type { RemainingTarget } from '../../schedule/preemption.ts';
import type { PendingChanges } from '../../archive/scan/watch/watch-loop.ts';
import type { Home } from '../home/home.ts';
import type { ConfiguredSet } from '../../model/set.ts';

/** A destination of the home. */
export interface ScheduledDestination {
  readonly id: string;
  readonly location: string;
  /** In words, as a set's, which it replaces. */
  readonly schedule?: string | undefined;
}

/** What is scheduled: the backups of a set to one destination or, without a destination, the verifications of the set or its drills. */
export interface Scheduled {
  /** Its name. */
  readonly set: string;
  /** Its id. */
  readonly destination?: string | undefined;
  readonly kind?: 'drill' | undefined;
}

export interface OngoingRun extends Pick<ActiveRun, 'set' | 'kind' | 'startedAt' | 'trigger'> {
  /** Of a backup: the ids of its destinations. `undefined` for all. */
  readonly destinations?: readonly string[] | undefined;
  /** Of a backup: the destinations that it has not ended at, once they are known. */
  readonly remaining?: readonly RemainingTarget[] | undefined;
}

/** Timers, which tests replace. */
export interface Timers {
  /** Calls `run` once, after this many milliseconds. Returns a function that cancels the call. */
  after(milliseconds: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** The readings that conditions are checked against. Neither rejects; unknown values are `undefined`. */
export interface Readings {
  readonly power: PowerState;
  readonly network: NetworkState;
}

/** Collects the changes in a set, from `ready` on. */
export interface Watcher extends PendingChanges, AsyncDisposable {
  readonly ready: Promise<void>;
}

export interface SchedulerOptions {
  readonly home: Home;
  readonly clock: { now(): number };
  readonly timers: Timers;
  readonly readings: Readings;
  /** Throws while the settings cannot be read. Then nothing runs. */
  readonly sets: () => readonly ConfiguredSet[];
  /** In order of preference. */
  readonly destinations: () => readonly ScheduledDestination[];
  /** The newest ended run in the journal, regardless of who started it. */
  readonly lastRun: (scheduled: Scheduled) => EndedRun | undefined;
  /** The set of the active run of any kind, regardless of who started it. */
  readonly isRunning: () => string | undefined;
  /** The details of that run, if known. */
  readonly activeRun?: () => OngoingRun | undefined;
  /** Returns the ids of destinations that no run can reach, for instance a disk that is not plugged in. */
  readonly absent: () => Promise<ReadonlySet<string>>;
  /**
   * Runs a backup to its end. Rejects with HoldfastError `home_busy` (with the `holder`) if another process has locked
   * the home; the scheduler tries again half a minute later. Any other rejection counts as a failed run.
   *
   * @param destinations ids
   * @param first entry paths of folders with known changes
   */
  readonly startBackup: (
    set: string,
    destinations: readonly string[],
    trigger: Trigger,
    first: readonly string[],
  ) => Promise<Outcome>;
  /** Runs a verification, as `startBackup`. */
  readonly startVerify: (set: string, samplePercent: number) => Promise<Outcome>;
  /** Runs a drill, as `startBackup`. */
  readonly startDrill: (set: string) => Promise<Outcome>;
  /** Ends the active backup, in favour of another. The journal records an interruption. */
  readonly preempt: () => void;
  /** Called when `decisions`, `verifications`, `drills`, `lastMoments` or `paused` have changed. */
  readonly onChange: () => void;
  /** A value that changes with the network. The addresses of this computer by default. */
  readonly networkMark?: () => string;
  /** Creates a watcher for a set. Watches the file system by default. */
  readonly watch?: (set: ConfiguredSet, onChange: () => void) => Watcher;
}
