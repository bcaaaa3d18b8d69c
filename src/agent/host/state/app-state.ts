import type { Clock } from '../../../base/clock.ts';
import type { ActiveRun, AppState, Decision, SetState } from '../../../ipc/state.ts';
import { failureOf } from '../../../base/failure.ts';
import type { Home } from '../../home/home.ts';
import type { ConfiguredSet } from '../../../ipc/contract/configured-set.ts';
import { locationOf } from '../../home/destination-location.ts';
import { loadSettings, type Settings } from '../../home/settings.ts';
import type { SetHistories, SetHistory } from '../../history/set-history.ts';
import type { Scheduler } from '../../schedule/scheduler.ts';
import type { CatalogAccess } from '../activity/catalog-access.ts';
import type { AlarmWatch } from '../alarms/alarm-watch.ts';
import type { DestinationWatches } from '../destination/destination-watches.ts';
import type { PreferencesStore } from '../preferences.ts';
import type { Restores } from '../restores/restores.ts';
import type { RunQueue } from '../runs/run-queue.ts';
import type { ClockSkew } from './clock-skew.ts';
import { destinationStates } from './destination-states.ts';
import { FigureMaker } from './figures.ts';
import { healthOf, type SetFacts } from './health.ts';

export interface StateSources {
  readonly home: Home;
  readonly clock: Pick<Clock, 'now'>;
  readonly version: string;
  readonly catalog: Pick<CatalogAccess, 'read'>;
  readonly histories: SetHistories;
  readonly preferences: Pick<PreferencesStore, 'get'>;
  readonly runs: Pick<RunQueue, 'active' | 'ongoing'>;
  readonly destination: Pick<DestinationWatches, 'statusOf'>;
  readonly clockSkew: Pick<ClockSkew, 'aheadMs'>;
  readonly scheduler: Pick<Scheduler, 'decisions' | 'decisionOf' | 'verifications' | 'lastMoments' | 'paused'>;
  readonly alarms: Pick<AlarmWatch, 'alarms'>;
  readonly restores: Pick<Restores, 'needs'>;
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
    const { clock, catalog, histories, preferences, runs, destination, scheduler } = this.#sources;
    const now = clock.now();
    const status = destination.statusOf(settings.id);
    const run = runs.active();
    const known = settings.sets.map((set) => ({
      set,
      history: catalog.read((open) => histories.of(open.at(settings.id), settings.deviceId, set.name)),
    }));
    const { paused } = scheduler;
    const sets = known.map(({ set, history }) => this.#setState(set, history));
    const facts = known.map(({ set, history }) => this.#facts(set, history, run));
    const verdict = healthOf({
      now,
      sets: facts,
      isRunning: run !== undefined,
      isPaused: paused !== undefined,
      noBackupDays: preferences.get().notifications.noBackupDays,
      isPhraseConfirmed: settings.phraseConfirmed !== false,
      alarms: this.#sources.alarms.alarms,
      destinationDamage: catalog.read((open) => histories.damageFoundBy(open.at(settings.id))),
      restores: this.#sources.restores.needs,
      missingLocation: status.isPresent ? undefined : locationOf(settings.destination),
      clockAheadMs: this.#sources.clockSkew.aheadMs,
    });
    const points = known.flatMap(({ history }) => history.lastPoint ?? []);
    const ids = settings.all.map(({ id }) => id);
    const { storage, days } = catalog.read((open) => this.#figures.at(now, open, ids));
    const destinations = catalog.read((open) =>
      destinationStates(settings, open, {
        statusOf: (id) => destination.statusOf(id),
        histories,
        storage,
        decisionOf: (set, id) => this.#decisionAt(set, id),
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
    };
  }

  #setState({ name, roots, schedule }: ConfiguredSet, history: SetHistory): SetState {
    const lastMoment = this.#sources.scheduler.lastMoments().get(name);
    const verification = this.#verification(name);
    const { lastBackup, lastPoint, isResumable } = history;
    return {
      name,
      roots: [...roots],
      schedule: schedule ?? 'manual',
      decision: this.#decision(name),
      ...(verification ? { verification } : {}),
      ...(lastMoment ? { lastMoment } : {}),
      ...(lastBackup ? { lastBackup } : {}),
      ...(lastPoint ? { lastPoint } : {}),
      isResumable,
    };
  }

  #facts({ name }: ConfiguredSet, history: SetHistory, run: ActiveRun | undefined): SetFacts {
    const { lastBackup, lastGoodAt, newWarnings, damageFoundBy } = history;
    const isBackingUp = run?.kind === 'backup' && run.set === name;
    return { name, decision: this.#decision(name), isBackingUp, lastBackup, lastGoodAt, newWarnings, damageFoundBy };
  }

  #decision(set: string): Decision {
    return this.#running('backup', set) ?? this.#sources.scheduler.decisionOf(set) ?? { kind: 'manual' };
  }

  #decisionAt(set: string, destination: string): Decision {
    const run = this.#sources.runs.ongoing();
    const isRunning = run?.remaining?.some((target) => target.destination === destination) === true;
    const running = isRunning ? this.#running('backup', set) : undefined;
    return running ?? this.#sources.scheduler.decisions().get(set)?.get(destination) ?? { kind: 'manual' };
  }

  #verification(set: string): Decision | undefined {
    const planned = this.#sources.scheduler.verifications().get(set);
    return planned && (this.#running('verify', set) ?? planned);
  }

  /** The scheduler tracks only its own runs. */
  #running(kind: ActiveRun['kind'], set: string): Decision | undefined {
    const run = this.#sources.runs.active();
    if (run?.kind !== kind || run.set !== set) return undefined;
    return { kind: 'running', since: run.startedAt, trigger: run.trigger };
  }
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
