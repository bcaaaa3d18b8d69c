import { fileVersionSync } from '../../home/file-version.ts';
import type { Home } from '../../home/home.ts';
import type { Timers } from '../../schedule/ports.ts';
import type { CatalogAccess } from '../activity/catalog-access.ts';
import type { AlarmWatch } from '../alarms/alarm-watch.ts';
import type { DestinationWatches } from '../destination/destination-watches.ts';
import type { HomeSettings } from '../home-settings.ts';
import { reportUnexpected } from '../report-error.ts';
import type { RunQueue } from '../runs/run-queue.ts';
import type { StateChanges } from '../state-changes.ts';

/** Changes of the home by other programs, and disks that come and go, are noticed within this time. */
const IDLE_MS = 5000;
/** During a run its speed has to fall when nothing moves. */
const BUSY_MS = 1000;

export interface HomeWatchParts {
  readonly home: Home;
  readonly timers: Timers;
  readonly settings: HomeSettings;
  readonly runs: Pick<RunQueue, 'busySet'>;
  readonly catalog: Pick<CatalogAccess, 'markInterrupted'>;
  readonly scheduler: { setsChanged(): void };
  readonly destination: Pick<DestinationWatches, 'refresh'>;
  readonly alarms: Pick<AlarmWatch, 'check'>;
  readonly changes: StateChanges;
}

/** Checks the home every few seconds, since the command line changes it without notifying this process. */
export class HomeWatch {
  readonly #parts: HomeWatchParts;
  #settingsVersion: string | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: HomeWatchParts) {
    this.#parts = parts;
  }

  /** Checks now, and periodically from then on. */
  check(): void {
    const { home, timers, runs, scheduler, destination, alarms, changes } = this.#parts;
    if (this.#isClosed) return;
    this.#cancel?.();
    const isBusy = runs.busySet !== undefined;
    this.#cancel = timers.after(isBusy ? BUSY_MS : IDLE_MS, () => this.check());
    if (!isBusy) this.#markInterrupted();
    const version = fileVersionSync(home.settingsFile);
    if (version !== this.#settingsVersion) {
      this.#settingsVersion = version;
      scheduler.setsChanged();
    }
    destination.refresh();
    try {
      alarms.check();
    } catch (error) {
      reportUnexpected(error);
    }
    changes.notify();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #markInterrupted(): void {
    const { settings, catalog } = this.#parts;
    try {
      if (settings.load()) catalog.markInterrupted();
    } catch {
      // The app state reports the damage.
    }
  }
}
