import type { Clock } from '../../base/clock.ts';
import { VERSION } from '../../base/version.ts';
import type { Emit } from '../../base/calls/serve-calls.ts';
import type { AgentEvents, Notice } from '../../ipc/agent-events.ts';
import { agentOf, type Perform } from '../agent.ts';
import { removeUnfinishedSync } from '../../base/files/atomic-file.ts';
import type { Home } from '../home/home.ts';
import type { HomeKeyStore } from '../key-store/home-key-store.ts';
import { SetHistories } from '../history/set-history.ts';
import { allRestoreSources, type RestoreSource } from '../operations/restore/restore-sources.ts';
import type { Readings, Timers } from '../schedule/ports.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import { CatalogAccess } from './activity/catalog-access.ts';
import { AlarmWatch } from './alarms/alarm-watch.ts';
import { DestinationWatches } from './destination/destination-watches.ts';
import { OpenDestinations } from './destination/open-destinations.ts';
import type { HandlerContext } from './handler-context.ts';
import { HistoryFill } from './history/history-fill.ts';
import { HomeSettings } from './home-settings.ts';
import { Notices } from './notices.ts';
import { PreferencesStore } from './preferences.ts';
import { reportError, reportUnexpected } from './report-error.ts';
import { WeeklyReport } from './report/weekly-report.ts';
import { Mounts } from './mounts/mounts.ts';
import { Restores } from './restores/restores.ts';
import { DestinationProgress } from './runs/destination-progress.ts';
import { hostScheduler } from './host-scheduler.ts';
import { KnownRuns } from './activity/known-runs.ts';
import { RunQueue } from './runs/run-queue.ts';
import { RunStarter } from './runs/run-starter.ts';
import { AppStateMaker } from './state/app-state.ts';
import { ClockSkew } from './state/clock-skew.ts';
import { HomeWatch } from './state/home-watch.ts';
import { StateChanges } from './state-changes.ts';
import { RestorableSets } from './state/restorable-sets.ts';
import { StatePublisher } from './state/state-publisher.ts';

export interface HostOptions {
  readonly home: Home;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly readings: Readings;
  readonly keyStore: HomeKeyStore;
  /** How operations are performed. */
  readonly perform: Perform;
  /** Sends an event to the main process. */
  readonly emit: Emit<AgentEvents>;
}

/**
 * Composes the parts behind the IPC handlers, in the order of their needs. A part that acts on the end of a run, or on the return of a
 * destination, subscribes to it by itself.
 */
export class HostComposition {
  readonly context: HandlerContext;
  readonly catalog: CatalogAccess;
  readonly starter: RunStarter;
  readonly preferences: PreferencesStore;
  readonly alarms: AlarmWatch;
  readonly restores: Restores;
  readonly report: WeeklyReport;
  readonly state: AppStateMaker;
  readonly mounts: Mounts;
  readonly #home: Home;
  readonly #changes = new StateChanges();
  readonly #runs: RunQueue;
  readonly #scheduler: Scheduler;
  readonly #homeWatch: HomeWatch;
  readonly #publisher: StatePublisher;
  readonly #open: OpenDestinations;
  readonly #fill: HistoryFill;

  constructor({ home, environment, clock, keyStore, timers, readings, perform, emit }: HostOptions) {
    const changes = this.#changes;
    const send = (notice: Notice): void => emit('notice', notice);

    // What is in the home
    const settings = new HomeSettings(home);
    const preferences = new PreferencesStore(home);
    const catalog = new CatalogAccess(home, clock);
    const histories = new SetHistories();

    // Operations, and the destinations at which they are performed
    const clockSkew = new ClockSkew(clock, changes);
    const destination = new DestinationWatches(settings, changes);
    const runs = new RunQueue({ home, clock, journal: catalog, changes });
    const fill = new HistoryFill({ home, environment, timers, settings, runs, destination });
    const parts = { home, keyStore, clock, environment, onSkew: (skewMs: number) => clockSkew.update(skewMs) };
    const open = new OpenDestinations({ parts, settings, runs, destination });
    const agent = agentOf(open.parts, perform);

    // Runs that a person, the schedule or an interruption begins
    const known = new KnownRuns({ settings, catalog, histories });
    const progress = new DestinationProgress(changes);
    const starter = new RunStarter({ agent, runs, clock, preferences, progress, known });
    const restores = new Restores({ settings, agent, runs, clock, catalog, starter, destination, changes });
    const scheduled = { settings, known, runs, starter, destination, changes };
    const scheduler = hostScheduler({ home, clock, timers, readings, ...scheduled });
    const mounts = new Mounts({ home, environment, clock, changes });

    // What a person is told
    const alarms = new AlarmWatch({ home, clock, agent, catalog, settings, runs, changes, send });
    const notices = new Notices({ home, clock, catalog, settings, preferences, send });
    const report = new WeeklyReport({ home, keyStore, clock, timers, changes, due: () => emit('reportDue', {}) });
    const at = async (id: string): Promise<readonly RestoreSource[]> => await agent.at(id).restoreSources({});
    const ask = async (): Promise<number> => (await allRestoreSources(open.parts, at)).length;
    const restorable = new RestorableSets({ ask, clock, changes });
    const ofRuns = { runs, progress, scheduler, restores, mounts, catalog, histories };
    const ofHome = { home, preferences, destination, clockSkew, alarms, report, restorable };
    const state = new AppStateMaker({ version: VERSION, clock, ...ofRuns, ...ofHome });
    this.#publisher = new StatePublisher(
      changes,
      () => state.make(),
      (made) => {
        emit('state', made);
        notices.stateChanged(made);
      },
    );
    const watched = { settings, runs, catalog, scheduler, destination, alarms, changes };
    const homeWatch = new HomeWatch({ home, timers, ...watched });
    runs.subscribe({
      ended: (run) => {
        notices.ended(run);
        // The destination may be the cause, which the next periodic check would find only later.
        if (run.outcome === 'failed') void destination.checkAll();
      },
    });

    this.#home = home;
    this.#runs = runs;
    this.#scheduler = scheduler;
    this.#homeWatch = homeWatch;
    this.#open = open;
    this.#fill = fill;
    this.catalog = catalog;
    this.starter = starter;
    this.preferences = preferences;
    this.alarms = alarms;
    this.restores = restores;
    this.report = report;
    this.state = state;
    this.mounts = mounts;
    this.context = {
      agent,
      home,
      clock,
      runs,
      scheduler,
      changed: () => homeWatch.check(),
      browse: (url) => emit('browse', url),
    };
  }

  /** Checks the home, continues restores, starts the scheduler and publishes the first state. */
  start(): void {
    removeUnfinishedSync(this.#home.folder);
    this.#homeWatch.check();
    // A person waits for a restore: no scheduled backup begins before it.
    const resuming = this.#resumeRestores();
    if (resuming) void resuming.finally(() => this.#scheduler.start());
    else this.#scheduler.start();
    this.report.start();
    this.#changes.notify();
    this.#fill.wake();
  }

  /** Interrupts the active run, and resolves when everything has ended. */
  async close(): Promise<void> {
    this.#homeWatch.close();
    this.restores.close();
    this.report.close();
    await this.#fill.close();
    await this.mounts.close();
    await this.#scheduler.close();
    await this.#runs.close();
    await this.alarms.close();
    await this.#open.close();
    this.#publisher.close();
    this.catalog[Symbol.dispose]();
  }

  #resumeRestores(): Promise<void> | undefined {
    try {
      return this.restores.resume()?.catch(reportError);
    } catch (error) {
      // A journal that cannot be read now may be readable at the next start.
      reportUnexpected(error);
      return undefined;
    }
  }
}
