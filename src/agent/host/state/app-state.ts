import type { Clock } from '../../../base/clock.ts';
import type { ActiveRun, AppState, Decision, LastMoment, Need, SetState } from '../../../ipc/state.ts';
import type { Preferences } from '../../../ipc/contract/preferences.ts';
import { failureOf } from '../../../base/failure.ts';
import type { Home } from '../../home/home.ts';
import { loadSettings, locationOf, type Settings } from '../../home/settings.ts';
import type { ConfiguredSet } from '../../../ipc/contract/configured-set.ts';
import type { Alarm } from '../alarms/alarm-file.ts';
import type { DestinationSight } from '../destination/destination-watch.ts';
import { FigureMaker } from './figures.ts';
import { healthOf, type SetFacts } from './health.ts';
import type { Records } from '../activity/journal-access.ts';
import type { SetHistories, SetHistory } from '../../history/set-history.ts';

/** Where the state comes from. */
export interface StateSources {
  readonly home: Home;
  readonly clock: Pick<Clock, 'now'>;
  readonly version: string;
  readonly records: Pick<Records, 'read'>;
  readonly histories: SetHistories;
  readonly preferences: () => Preferences;
  readonly activeRun: () => ActiveRun | undefined;
  readonly sight: () => DestinationSight;
  /** By how many milliseconds this computer's clock is ahead of the service's, where that is too much. */
  readonly clockAheadMs: () => number | undefined;
  readonly decisions: () => ReadonlyMap<string, Decision>;
  readonly verifications: () => ReadonlyMap<string, Decision>;
  readonly lastMoments: () => ReadonlyMap<string, LastMoment>;
  readonly alarms: () => readonly Alarm[];
  /** Of restores that have not gone on by themselves. */
  readonly restores: () => readonly Need[];
  /** Nothing where scheduled runs are not paused. */
  readonly pause: () => AppState['pause'];
}

/** Puts together what the window shows at a glance, out of what is kept anyway: nothing is scanned for it. */
export class StateMaker {
  readonly #sources: StateSources;
  readonly #figures = new FigureMaker();

  constructor(sources: StateSources) {
    this.#sources = sources;
  }

  /** The state as it is now; one that cannot be read is told as its `damage`. */
  make(): AppState {
    const { home, version, preferences } = this.#sources;
    const base = { version, home: home.folder, preferences: preferences() };
    const nothing = { ...base, sets: [], runs: [], needs: [], storage: { protectedBytes: 0 }, days: [] };
    let settings: Settings | undefined;
    try {
      settings = loadSettings(home);
      if (!settings) return { ...nothing, health: 'not-set-up' };
      return { ...base, ...this.#whole(settings) };
    } catch (error) {
      const damage = failureOf(error);
      if (!damage) throw error;
      return { ...nothing, ...(settings ? whereTo(settings, undefined) : {}), health: 'at-risk', damage };
    }
  }

  #whole(settings: Settings): Omit<AppState, 'version' | 'home' | 'preferences'> {
    const { clock, records, histories, preferences, activeRun, sight, pause } = this.#sources;
    const now = clock.now();
    const run = activeRun();
    const known = settings.sets.map((set) => ({
      set,
      history: records.read((catalog) => histories.of(catalog, settings.deviceId, set.name, settings.since)),
    }));
    const paused = pause();
    const sets = known.map(({ set, history }) => this.#setState(set, history));
    const facts = known.map(({ set, history }) => this.#facts(set, history, run));
    const verdict = healthOf({
      now,
      sets: facts,
      isRunning: run !== undefined,
      isPaused: paused !== undefined,
      noBackupDays: preferences().notifications.noBackupDays,
      isPhraseConfirmed: settings.phraseConfirmed !== false,
      alarms: this.#sources.alarms(),
      restores: this.#sources.restores(),
      missingPlace: sight().isPresent ? undefined : locationOf(settings.destination),
      clockAheadMs: this.#sources.clockAheadMs(),
    });
    const points = known.flatMap(({ history }) => history.lastPoint ?? []);
    const { storage, days } = records.read((catalog) =>
      this.#figures.at(now, catalog, settings.since, settings.totals),
    );
    return {
      health: verdict.health,
      ...(verdict.since === undefined ? {} : { since: verdict.since }),
      ...whereTo(settings, sight().freeBytes),
      sets,
      runs: run ? [run] : [],
      ...(paused === undefined ? {} : { pause: paused }),
      needs: [...verdict.needs],
      storage: { ...storage, protectedBytes: points.reduce((sum, { bytes }) => sum + bytes, 0) },
      days,
    };
  }

  #setState({ name, roots, schedule }: ConfiguredSet, history: SetHistory): SetState {
    const lastMoment = this.#sources.lastMoments().get(name);
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
    return this.#running('backup', set) ?? this.#sources.decisions().get(set) ?? { kind: 'manual' };
  }

  #verification(set: string): Decision | undefined {
    const planned = this.#sources.verifications().get(set);
    return planned && (this.#running('verify', set) ?? planned);
  }

  /** The schedule knows only of what it began itself. */
  #running(kind: ActiveRun['kind'], set: string): Decision | undefined {
    const run = this.#sources.activeRun();
    if (run?.kind !== kind || run.set !== set) return undefined;
    return { kind: 'running', since: run.startedAt, trigger: run.trigger };
  }
}

function whereTo(
  { destination, deviceId, deviceName }: Settings,
  freeBytes: number | undefined,
): Pick<AppState, 'destination' | 'device'> {
  const kind = destination.kind === 'embedded' ? 'folder' : destination.kind;
  return {
    destination: { kind, place: locationOf(destination), ...(freeBytes === undefined ? {} : { freeBytes }) },
    device: { id: deviceId, name: deviceName },
  };
}
