import type { Clock } from '../../../base/clock.ts';
import type { AppState, SetState } from '../../../ipc/state.ts';
import type { Decision } from '../../../model/schedule/decision.ts';
import type { ActiveRun } from '../../../model/run.ts';
import { failureOf } from '../../../base/errors/failure.ts';
import { entryPathGiven, entryPathOf } from '../../../os/filesystem/names/entry-path.ts';
import { isWithin } from '../../../model/entry-path.ts';
import type { Home } from '../../home/home.ts';
import type { ConfiguredSet } from '../../../model/set.ts';
import { locationOf } from '../../home/destination-location.ts';
import { loadSettings, type Settings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import { combinedHistory, type CombinedHistory } from '../../history/combined-history.ts';
import type { AbsentFolder } from '../../history/absent-folders.ts';
import type { SetHistories, SetHistory } from '../../history/set-history.ts';
import type { Scheduler } from '../../schedule/scheduler.ts';
import type { CatalogAccess } from '../activity/catalog-access.ts';
import type { AlarmWatch } from '../alarms/alarm-watch.ts';
import type { DestinationWatches } from '../destination/destination-watches.ts';
import type { PreferencesStore } from '../preferences.ts';
import type { WeeklyReport } from '../report/weekly-report.ts';
import type { Mounts } from '../mounts/mounts.ts';
import type { Restores } from '../restores/restores.ts';
import type { DestinationProgress } from '../runs/destination-progress.ts';
import type { RunQueue } from '../runs/run-queue.ts';
import type { ClockSkew } from './clock-skew.ts';
import { destinationStates } from './destination-states.ts';
import { FigureMaker } from './figures.ts';
import { healthOf } from './health.ts';
import type { DestinationFacts, SetFacts } from './health-facts.ts';
import { isResultNews } from './resumed-restore.ts';
import type { RestorableSets } from './restorable-sets.ts';

export interface StateSources {
  readonly home: Home;
  readonly clock: Pick<Clock, 'now'>;
  readonly version: string;
  readonly catalog: Pick<CatalogAccess, 'read'>;
  readonly histories: SetHistories;
  readonly preferences: Pick<PreferencesStore, 'get'>;
  readonly runs: Pick<RunQueue, 'active'>;
  readonly progress: Pick<DestinationProgress, 'rows' | 'isActiveAt'>;
  readonly destination: Pick<DestinationWatches, 'statusOf'>;
  readonly clockSkew: Pick<ClockSkew, 'aheadMs'>;
  readonly scheduler: Pick<
    Scheduler,
    'decisions' | 'decisionOf' | 'verifications' | 'drills' | 'lastMoments' | 'paused'
  >;
  readonly alarms: Pick<AlarmWatch, 'alarms'>;
  readonly restores: Pick<Restores, 'needs'>;
  readonly report: Pick<WeeklyReport, 'failed'>;
  readonly mounts: Pick<Mounts, 'states'>;
  readonly restorable: Pick<RestorableSets, 'count'>;
}

/** Builds the app state from the data of the other parts. Scans no files. */
export class AppStateMaker {
  readonly #sources: StateSources;
  readonly #figures = new FigureMaker();

  constructor(sources: StateSources) {
    this.#sources = sources;
  }

  /** Returns the current state. A home that cannot be read is reported as `damage`. */
  make(): AppState {
    const { home, version, preferences } = this.#sources;
    const base = { version, home: home.folder, preferences: preferences.get() };
    const nothing = {
      ...base,
      destinations: [],
      sets: [],
      runs: [],
      needs: [],
      storage: { protectedBytes: 0 },
      days: [],
    };
    let settings: Settings | undefined;
    try {
      settings = loadSettings(home);
      if (!settings) return { ...nothing, health: 'not-set-up' };
      return { ...base, ...this.#ofHome(settings) };
    } catch (error) {
      const damage = failureOf(error);
      if (!damage) throw error;
      return { ...nothing, ...(settings ? whereTo(settings, undefined) : {}), health: 'at-risk', damage };
    }
  }

  #ofHome(settings: Settings): Omit<AppState, 'version' | 'home' | 'preferences'> {
    const { clock, catalog, histories, preferences, destination, scheduler } = this.#sources;
    const now = clock.now();
    const status = destination.statusOf(settings.id);
    const run = this.#activeRun(settings);
    const known = settings.sets.map((set) => ({
      set,
      history: combinedHistory(
        settings.all.map(({ id, deviceId }) => catalog.read((open) => histories.of(open.at(id), deviceId, set.name))),
      ),
    }));
    const { paused } = scheduler;
    const sets = known.map(({ set, history }) => this.#setState(set, history));
    const verdict = healthOf({
      now,
      destinations: settings.all.map((entry) => this.#destinationFacts(entry, settings)),
      isRunning: run !== undefined,
      isPaused: paused !== undefined,
      noBackupDays: preferences.get().notifications.noBackupDays,
      isPhraseConfirmed: settings.phraseConfirmed !== false,
      alarms: this.#sources.alarms.alarms,
      restores: this.#sources.restores.needs,
      report: this.#sources.report.failed,
      restorableSets: sets.length === 0 ? this.#sources.restorable.count() : undefined,
      clockAheadMs: this.#sources.clockSkew.aheadMs,
    });
    const points = known.flatMap(({ history }) => history.lastPoint ?? []);
    const ids = settings.all.map(({ id }) => id);
    const { storage, days, resumedRestore } = catalog.read((open) => this.#figures.at(now, open, ids));
    const destinations = catalog.read((open) =>
      destinationStates(settings, open, {
        statusOf: (id) => destination.statusOf(id),
        histories,
        storage,
        decisionOf: (set, id) => this.#decisionAt(set, id),
        isBackingUp: (set, id) => this.#isBackingUp(set, id),
        now,
      }),
    );
    return {
      health: verdict.health,
      ...(verdict.since === undefined ? {} : { since: verdict.since }),
      ...whereTo(settings, status.freeBytes),
      destinations,
      sets,
      runs: run ? [run] : [],
      ...(paused === undefined ? {} : { pause: paused }),
      needs: [...verdict.needs],
      storage: { ...storage.get(settings.id), protectedBytes: points.reduce((sum, { bytes }) => sum + bytes, 0) },
      days,
      mounts: [...this.#sources.mounts.states],
      ...(resumedRestore && isResultNews(resumedRestore, now, preferences.get()) ? { resumedRestore } : {}),
    };
  }

  /** The active run, with the destinations that it concerns if there are several. */
  #activeRun({ all }: Settings): ActiveRun | undefined {
    const { runs, progress } = this.#sources;
    const run = runs.active();
    if (!run || all.length === 1) return run;
    const rows = run.kind === 'backup' ? progress.rows : undefined;
    return rows ? { ...run, destinations: rows } : run;
  }

  #setState({ name, roots, schedule }: ConfiguredSet, history: CombinedHistory): SetState {
    const lastMoment = this.#sources.scheduler.lastMoments().get(name);
    const verification = this.#verification(name);
    const { lastBackup, lastPoint, lastDrill, isResumable } = history;
    const drill = this.#drill(name);
    return {
      name,
      roots: [...roots],
      schedule: schedule ?? 'manual',
      decision: this.#decision(name),
      ...(verification ? { verification } : {}),
      ...(drill ? { drill } : {}),
      ...(lastDrill?.compared
        ? { lastDrill: { run: lastDrill.id, at: lastDrill.endedAt, ...lastDrill.compared } }
        : {}),
      ...(lastMoment ? { lastMoment } : {}),
      ...(lastBackup ? { lastBackup } : {}),
      ...(lastPoint ? { lastPoint } : {}),
      isResumable,
    };
  }

  #destinationFacts({ id, name, deviceId, destination }: DestinationEntry, { all, sets }: Settings): DestinationFacts {
    const { catalog, histories, destination: watches } = this.#sources;
    return catalog.read((open) => {
      const there = open.at(id);
      const { isPresent, isOnSourceDisk, missingAt = 0 } = watches.statusOf(id);
      const facts = sets.map((set) => this.#facts(set, id, histories.of(there, deviceId, set.name)));
      // A backup that has succeeded since has found it.
      const isFound = facts.some(({ lastGoodAt = 0 }) => lastGoodAt > missingAt);
      return {
        place: all.length === 1 ? undefined : { id, name },
        missingLocation: isPresent ? undefined : locationOf(destination),
        isLost: !isPresent && isOnSourceDisk === true && !isFound,
        damageFoundBy: histories.damageFoundBy(there),
        isDoubtful: there.history.doubtSince() !== undefined,
        losses: histories.lossesFoundBy(there, deviceId),
        sets: facts,
      };
    });
  }

  #facts(set: ConfiguredSet, destination: string, history: SetHistory): SetFacts {
    const { name } = set;
    const { lastBackup, lastGoodAt, newWarnings, hasCommandFailed, damageFoundBy } = history;
    const isBackingUp = this.#isBackingUp(name, destination);
    const decision = this.#decisionAt(name, destination);
    const absentFolders = reportedFolders(set, history.absentFolders);
    const known = { lastBackup, lastGoodAt, newWarnings, hasCommandFailed, damageFoundBy };
    return { name, decision, isBackingUp, absentFolders, ...known };
  }

  #isBackingUp(set: string, destination: string): boolean {
    const { runs, progress } = this.#sources;
    const run = runs.active();
    if (run?.kind !== 'backup' || run.set !== set) return false;
    return progress.isActiveAt(destination);
  }

  #decision(set: string): Decision {
    return this.#running('backup', set) ?? this.#planned(this.#sources.scheduler.decisionOf(set));
  }

  /** A destination that the active run leaves out, or is done with, is not running. */
  #decisionAt(set: string, destination: string): Decision {
    const running = this.#isBackingUp(set, destination) ? this.#running('backup', set) : undefined;
    return running ?? this.#planned(this.#sources.scheduler.decisions().get(set)?.get(destination));
  }

  #verification(set: string): Decision | undefined {
    const planned = this.#sources.scheduler.verifications().get(set);
    return planned && (this.#running('verify', set) ?? this.#planned(planned));
  }

  #drill(set: string): Decision | undefined {
    const planned = this.#sources.scheduler.drills().get(set);
    return planned && (this.#running('drill', set) ?? this.#planned(planned));
  }

  /** The scheduler decides anew after the end of a run, which may take seconds. Until then its decision is about that run. */
  #planned(decision: Decision = { kind: 'manual' }): Decision {
    const { runs, clock } = this.#sources;
    const isOver = decision.kind === 'running' && !runs.active();
    return isOver ? { kind: 'next', at: clock.now() } : decision;
  }

  /** The scheduler tracks only its own runs. */
  #running(kind: ActiveRun['kind'], set: string): Decision | undefined {
    const run = this.#sources.runs.active();
    if (run?.kind !== kind || run.set !== set) return undefined;
    return { kind: 'running', since: run.startedAt, trigger: run.trigger };
  }
}

/** The number of folders inside those of a set that are reported at a time: a computer may have a mount for every container that it ever ran. */
const MOST_INSIDE = 10;

/** Returns the absent folders that the set still has, or has a disk in, and does not allow to be absent. */
function reportedFolders(
  { roots, optionalRoots = [] }: ConfiguredSet,
  absent: readonly AbsentFolder[],
): SetFacts['absentFolders'] {
  const rootAt = new Map(roots.map((root) => [entryPathOf(root), root]));
  const optional = new Set(optionalRoots.map(entryPathGiven));
  const reported = absent.filter(({ path }) => !optional.has(path));
  const own = reported.flatMap(({ path, problem }) => {
    const folder = rootAt.get(path);
    return folder === undefined ? [] : [{ folder, problem }];
  });
  const inside = reported.filter(
    ({ path }) => !rootAt.has(path) && [...rootAt.keys()].some((root) => isWithin(path, root)),
  );
  return [...own, ...inside.slice(0, MOST_INSIDE).map(({ path: folder, problem }) => ({ folder, problem }))];
}

function whereTo(
  { destination, deviceId, deviceName }: Settings,
  freeBytes: number | undefined,
): Pick<AppState, 'destination' | 'device'> {
  const { kind } = destination;
  return {
    destination: { kind, location: locationOf(destination), ...(freeBytes === undefined ? {} : { freeBytes }) },
    device: { id: deviceId, name: deviceName },
  };
}
