import type { NetworkState } from '../../engine/power/network.ts';
import type { PowerState } from '../../engine/power/ports.ts';
import type { EndedRun, Outcome, Trigger } from '../../engine/schedule/decision.ts';
import type { PendingChanges } from '../../engine/scan/watch/watch-loop.ts';
import type { Home } from '../home/home.ts';
import type { ActiveRun } from '../../ipc/state.ts';
import type { ConfiguredSet } from '../../ipc/contract/configured-set.ts';

/** Where a scheduler's later calls come from, so that tests own them. */
export interface Timers {
  /** Calls `run` once, after so many milliseconds. Answers how to call it off. */
  after(milliseconds: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** What conditions are held against. Neither rejects; what is not known is nothing. */
export interface Readings {
  readonly power: PowerState;
  readonly network: NetworkState;
}

/** The newest runs of a set that ended, whoever started them, as the journal knows them. */
export interface LastRuns {
  readonly backup?: EndedRun | undefined;
  readonly verify?: EndedRun | undefined;
}

/** Hears of changes in a set, from `ready` on. */
export interface Watcher extends PendingChanges, AsyncDisposable {
  readonly ready: Promise<void>;
}

export interface SchedulerOptions {
  readonly home: Home;
  readonly clock: { now(): number };
  readonly timers: Timers;
  readonly readings: Readings;
  /** May throw, while the settings cannot be read: then nothing runs. */
  readonly sets: () => readonly ConfiguredSet[];
  readonly lastRuns: (set: string) => LastRuns;
  /** The set that a run of any kind goes on for, whoever started it. */
  readonly isRunning: () => string | undefined;
  /** More of that run, as far as it is known: what it does, since when and why. */
  readonly activeRun?: () => Pick<ActiveRun, 'set' | 'kind' | 'startedAt' | 'trigger'> | undefined;
  /** Whether there is any use in beginning: a disk that is plugged in. */
  readonly destinationPresent: () => Promise<boolean>;
  /**
   * Runs a backup to its end. Rejects with HoldfastError `home_busy` (with the `holder`) where another process works on
   * the home: it is asked for again half a minute later. Any other rejection is a run that failed.
   *
   * @param first entry paths of folders in which something is known to have changed
   */
  readonly startBackup: (set: string, trigger: Trigger, first?: readonly string[]) => Promise<Outcome>;
  /** The same, for a verification. */
  readonly startVerify: (set: string, samplePercent: number) => Promise<Outcome>;
  /** Told when `decisions`, `verifications`, `lastMoments` or `paused` have become others. */
  readonly onChange: () => void;
  /** Something that is another when the network is another; the addresses of this computer where it is missing. */
  readonly networkMark?: () => string;
  /** How changes are heard of; by the file system where it is missing. */
  readonly watch?: (set: ConfiguredSet, onChange: () => void) => Watcher;
}
