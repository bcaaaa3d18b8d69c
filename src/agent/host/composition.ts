import type { Clock } from '../../base/clock.ts';
import { VERSION } from '../../base/version.ts';
import type { Emit } from '../../base/calls/serve-calls.ts';
import type { AgentEvents, Notice } from '../../ipc/agent-events.ts';
import { agentOf, type Perform } from '../agent.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { SharedContexts } from '../context/shared-contexts.ts';
import { removeUnfinishedSync } from '../../base/files/atomic-file.ts';
import type { Home } from '../home/home.ts';
import type { DestinationEntry } from '../home/settings.ts';
import type { HomeKeyStore } from '../key-store/home-key-store.ts';
import { combinedHistory } from '../history/combined-history.ts';
import { SetHistories, type SetHistory } from '../history/set-history.ts';
import type { EndedRun as LastRun } from '../../schedule/decision.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { locationOf } from '../home/destination-location.ts';
import { allRestoreSources } from '../operations/restore/restore-sources.ts';
import type { Readings, Scheduled, ScheduledDestination, Timers } from '../schedule/ports.ts';
import { Scheduler } from '../schedule/scheduler.ts';
import { CatalogAccess } from './activity/catalog-access.ts';
import { AlarmWatch } from './alarms/alarm-watch.ts';
import { DestinationWatches } from './destination/destination-watches.ts';
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
import { RunQueue } from './runs/run-queue.ts';
import type { BegunRun, EndedRun } from './runs/run-request.ts';
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

/** The kinds of runs that the scheduler starts, and continues. */
const SCHEDULED: ReadonlySet<EndedRun['kind']> = new Set(['backup', 'verify', 'drill']);

/** Composes the runs, the scheduler and the published app state behind the IPC handlers, in the order of their needs. */
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
  readonly #shared: SharedContexts;
  readonly #fill: HistoryFill;

  constructor({ home, environment, clock, keyStore, timers, readings, perform, emit }: HostOptions) {
    const changes = this.#changes;
    const settings = new HomeSettings(home);
    const histories = new SetHistories();
    const clockSkew = new ClockSkew(clock, changes);
    const preferences = new PreferencesStore(home);
    const catalog = new CatalogAccess(home, clock);
    const destination = new DestinationWatches(settings, changes);
    const runs = new RunQueue({ home, clock, journal: catalog, changes });

    // A bucket's metadata are a copy in the home that a run updates and publishes: nothing else may have it open then.
    const mayShare = (kind: string | undefined): boolean => kind !== 'bucket' || runs.busySet === undefined;
    const alone: AgentParts = { home, keyStore, clock, environment, onSkew: (skewMs) => clockSkew.update(skewMs) };
    const shared = new SharedContexts({ parts: alone, mayKeep: (current) => mayShare(current.destination.kind) });
    const parts: AgentParts = { ...alone, queries: shared };
    const agent = agentOf(parts, perform);

    const progress = new DestinationProgress(changes);
    const newestPoint = (set: string): SetHistory['lastPoint'] =>
      catalog.read((open) => newestPointOf(set, settings.entries, open, histories));
    const starter = new RunStarter({ agent, runs, clock, preferences, progress, newestPoint });
    const restores = new Restores({ settings, agent, runs, clock, catalog, starter, destination, changes });
    const send = (notice: Notice): void => emit('notice', notice);
    const alarms = new AlarmWatch({ home, clock, agent, catalog, settings, runs, changes, send });
    const notices = new Notices({ home, clock, catalog, settings, preferences, send });
    const scheduler = new Scheduler({
      home,
      clock,
      timers,
      readings,
      sets: () => settings.load()?.sets ?? [],
      destinations: () => (settings.load()?.all ?? []).map(scheduledDestination),
      lastRun: (scheduled) => catalog.read((open) => lastRun(scheduled, settings.entries, open, histories)),
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
    const report = new WeeklyReport({ home, keyStore, clock, timers, changes, due: () => emit('reportDue', {}) });
    const mounts = new Mounts({ home, environment, clock, changes });
    const state = new AppStateMaker({
      home,
      clock,
      version: VERSION,
      catalog,
      histories,
      preferences,
      runs,
      progress,
      destination,
      clockSkew,
      scheduler,
      alarms,
      restores,
      report,
      mounts,
      restorable: new RestorableSets({
        ask: async () => (await allRestoreSources(parts, async (id) => await agent.at(id).restoreSources({}))).length,
        clock,
        changes,
      }),
    });
    this.#publisher = new StatePublisher(
      changes,
      () => state.make(),
      (made) => {
        emit('state', made);
        notices.stateChanged(made);
      },
    );
    const fill = new HistoryFill({
      home,
      environment,
      timers,
      mayFill: () => runs.busySet === undefined && (settings.loadIfIntact()?.sets.length ?? 0) > 0,
    });
    const homeWatch = new HomeWatch({ home, timers, settings, runs, catalog, scheduler, destination, alarms, changes });

    // An open destination must not keep a disk from coming back.
    destination.onMissing((id) => void shared.close(id));
    destination.onFound(() => {
      scheduler.wake('destination');
      // What could not be read while it was away is read soon, not in an hour.
      fill.wake();
    });
    runs.subscribe({
      prepare: async () => {
        await fill.stop();
        for (const {
          id,
          destination: { kind },
        } of settings.entries)
          if (!mayShare(kind)) await shared.close(id);
      },
      ended: (run) => {
        notices.ended(run);
        fill.wake();
      },
    });
    runs.subscribe({
      ended: ({ kind, outcome, trigger }) => {
        // A repair builds anew what an open repository has read.
        if (kind === 'repair') void shared.close();
        // The destination may be the cause, which the next periodic check would find only later.
        if (outcome === 'failed') void destination.checkAll();
        // The scheduler tracks the ends of its own runs. A restore that resumes by itself is none of them.
        if (trigger === 'person' || !SCHEDULED.has(kind)) scheduler.runEnded();
      },
      endedAt: () => scheduler.runEnded(),
    });

    this.#home = home;
    this.#runs = runs;
    this.#scheduler = scheduler;
    this.#homeWatch = homeWatch;
    this.#shared = shared;
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
    await this.#shared.close();
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

function scheduledDestination({ id, destination, schedule }: DestinationEntry): ScheduledDestination {
  return { id, location: locationOf(destination), schedule };
}

/** Returns the newest ended run of what is scheduled. A verification reads from whatever destination is nearest. */
function lastRun(
  { set, destination, kind }: Scheduled,
  entries: readonly DestinationEntry[],
  catalog: Catalog,
  histories: SetHistories,
): LastRun | undefined {
  const at = entries
    .filter(({ id }) => destination === undefined || id === destination)
    .map(({ id, deviceId }) => histories.of(catalog.at(id), deviceId, set));
  if (destination === undefined) {
    const checked = at.flatMap(({ lastVerify, lastDrill }) => (kind === 'drill' ? lastDrill : lastVerify) ?? []);
    return checked.toSorted((one, other) => other.startedAt - one.startedAt).at(0);
  }
  const [{ lastBackup, wasBegunHere, wasByPerson } = {}] = at;
  return lastBackup && { ...lastBackup, resumesItself: wasBegunHere, isByPerson: wasByPerson };
}

/** Returns the newest restore point of a set at any destination. */
function newestPointOf(
  set: string,
  entries: readonly DestinationEntry[],
  catalog: Catalog,
  histories: SetHistories,
): SetHistory['lastPoint'] {
  return combinedHistory(entries.map(({ id, deviceId }) => histories.of(catalog.at(id), deviceId, set))).lastPoint;
}

async function outcomeOf(begun: Promise<BegunRun>): Promise<EndedRun['outcome']> {
  const { ended } = await begun;
  return (await ended).outcome;
}
