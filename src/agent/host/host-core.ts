import { inspect } from 'node:util';
import { DEVICE_SIGNATURE_WINDOW } from '../../protocol/auth.ts';
import type { Clock } from '../../base/clock.ts';
import type { AppState } from '../../ipc/state.ts';
import type { Emit } from '../../base/calls/serve-calls.ts';
import type { AgentEvents, Notice } from '../../ipc/agent-events.ts';
import type { Agent } from '../agent.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { removeUnfinishedSync } from '../../base/atomic-file.ts';
import type { Home } from '../home/home.ts';
import { failureOf } from '../../base/failure.ts';
import { loadSettings, locationOf, type Destination, type Settings } from '../home/settings.ts';
import type { ConfiguredSet } from '../../ipc/contract/configured-set.ts';
import type { HomeKeyStore } from '../key-store/home-key-store.ts';
import { SharedContext } from '../context/shared-context.ts';
import type { LastRuns, Readings, Timers } from '../schedule/ports.ts';
import { Scheduler } from '../schedule/scheduler.ts';
import { AGENT_VERSION } from '../destination/this-device.ts';
import { AlarmWatch } from './alarms/alarm-watch.ts';
import { DestinationWatch } from './destination/destination-watch.ts';
import { HomeWatch } from './state/home-watch.ts';
import type { HostParts } from './handler-context.ts';
import { KeptProgress } from './runs/kept-progress.ts';
import { KeptRestores } from './restores/kept-restores.ts';
import { Notices } from './notices.ts';
import { PreferencesStore } from './preferences-store.ts';
import { StatePublisher } from './state/state-publisher.ts';
import { Records } from './activity/journal-access.ts';
import { Restores } from './restores/restores.ts';
import { RunQueue, type BegunRun, type EndedRun } from './runs/run-queue.ts';
import { RunStarter } from './runs/run-starter.ts';
import { SetHistories, type SetHistory } from '../history/set-history.ts';
import { StateMaker } from './state/app-state.ts';

export interface HostOptions {
  readonly home: Home;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly readings: Readings;
  readonly keyStore: HomeKeyStore;
  readonly newAgent: (parts: AgentParts) => Agent;
  /** Sends an event to the main process. */
  readonly emit: Emit<AgentEvents>;
}

/** A clock that is off by less bothers nobody: a service lets signatures be off by as much. */
const CLOCK_TOLERANCE_MS = DEVICE_SIGNATURE_WINDOW * 1000;

/** What goes on behind the handlers: runs, schedules, and the state that tells of them. */
export class HostCore {
  readonly parts: HostParts;
  readonly records: Records;
  readonly starter: RunStarter;
  readonly preferences: PreferencesStore;
  readonly alarms: AlarmWatch;
  readonly restores: Restores;
  readonly #home: Home;
  readonly #runs: RunQueue;
  readonly #scheduler: Scheduler;
  readonly #destination: DestinationWatch;
  readonly #homeWatch: HomeWatch;
  readonly #notices: Notices;
  readonly #maker: StateMaker;
  readonly #publisher: StatePublisher;
  readonly #histories = new SetHistories();
  #clock: { readonly aheadMs: number; readonly drift: number } | undefined;
  readonly #queries: SharedContext;

  constructor(options: HostOptions) {
    const { home, environment, clock, keyStore, timers, newAgent, emit } = options;
    const changed = (): void => this.#publisher.changed();
    const preferences = () => this.preferences.get();
    const onSkew = (skewMs: number): void => {
      const isRight = Math.abs(skewMs) < CLOCK_TOLERANCE_MS;
      this.#clock = isRight ? undefined : { aheadMs: -skewMs, drift: driftOf(clock) };
      changed();
    };
    const alone: AgentParts = { home, keyStore, clock, environment, onSkew };
    this.#queries = new SharedContext({ parts: alone, mayKeep: ({ destination }) => this.#mayShare(destination) });
    const parts: AgentParts = { ...alone, queries: this.#queries };
    const agent = newAgent(parts);
    this.#home = home;
    this.preferences = new PreferencesStore(home);
    this.records = new Records(home, clock);
    this.#destination = new DestinationWatch(() => {
      // What is open of a disk that has gone stays in nobody's way when it comes back.
      if (!this.#destination.sight.isPresent) void this.#queries.close();
      changed();
    });
    this.#runs = new RunQueue({
      home,
      clock,
      ends: this.records,
      changed,
      ended: (run) => this.#ended(run),
      prepare: () => this.#letGo(),
      kept: new KeptProgress(home),
      isResumable: (set) => this.#history(set)?.isResumable === true,
    });
    this.starter = new RunStarter({ agent, runs: this.#runs, clock, preferences });
    this.restores = new Restores({
      agent,
      runs: this.#runs,
      clock,
      records: this.records,
      kept: new KeptRestores(home),
      limits: (set) => this.starter.limits(set),
      missingPlace: () => this.#missingPlace(),
      changed,
    });
    const send = (notice: Notice): void => emit('notice', notice);
    this.alarms = new AlarmWatch({
      home,
      clock,
      agent,
      records: this.records,
      settings: () => this.#settings(),
      isAtWork: () => this.#runs.busySet !== undefined,
      changed,
      send,
      report,
    });
    this.#scheduler = this.#newScheduler(options, changed);
    this.#maker = this.#newMaker(clock);
    this.#notices = new Notices({ home, clock, records: this.records, preferences, send });
    this.#publisher = new StatePublisher(
      () => this.state(),
      (state) => {
        emit('state', state);
        this.#notices.looked(state);
      },
      report,
    );
    this.#homeWatch = new HomeWatch({
      home,
      timers,
      isAtWork: () => this.#runs.busySet !== undefined,
      settle: () => this.#settle(),
      settingsChanged: () => this.#scheduler.setsChanged(),
      looked: () => {
        this.#destination.refresh(this.#where());
        this.#lookForAlarms();
        changed();
      },
    });
    const browse = (url: string): void => emit('browse', url);
    this.parts = {
      agent,
      parts,
      home,
      clock,
      runs: this.#runs,
      scheduler: this.#scheduler,
      changed: () => this.#homeWatch.look(),
      browse,
    };
  }

  /** Looks at what is there, begins what is due, and tells the first state. */
  start(): void {
    removeUnfinishedSync(this.#home.folder);
    this.#homeWatch.look();
    // A person waits for a restore: no backup that is due comes before it.
    const resuming = this.#resume();
    if (resuming) void resuming.finally(() => this.#scheduler.start());
    else this.#scheduler.start();
    this.#publisher.changed();
  }

  state(): AppState {
    return this.#maker.make();
  }

  /** Interrupts what goes on, in order; resolves when nothing does any more. */
  async close(): Promise<void> {
    this.#homeWatch.close();
    this.restores.close();
    await this.#scheduler.close();
    await this.#runs.close();
    await this.alarms.close();
    await this.#queries.close();
    this.#publisher.close();
    this.records[Symbol.dispose]();
  }

  #newScheduler({ home, clock, timers, readings }: HostOptions, onChange: () => void): Scheduler {
    return new Scheduler({
      home,
      clock,
      timers,
      readings,
      sets: () => this.#sets(),
      lastRuns: (set) => this.#lastRuns(set),
      isRunning: () => this.#runs.busySet,
      activeRun: () => this.#runs.active(),
      destinationPresent: async () => (await this.#destination.look(this.#where())).isPresent,
      startBackup: (set, trigger, first) => outcomeOf(this.starter.backup(set, trigger, first)),
      startVerify: (set, samplePercent) => outcomeOf(this.starter.verify(set, samplePercent, 'schedule')),
      onChange,
    });
  }

  #newMaker(clock: Clock): StateMaker {
    return new StateMaker({
      home: this.#home,
      clock,
      version: AGENT_VERSION.slice(AGENT_VERSION.indexOf('/') + 1),
      records: this.records,
      histories: this.#histories,
      preferences: () => this.preferences.get(),
      activeRun: () => this.#runs.active(),
      sight: () => this.#destination.sight,
      clockAheadMs: () => {
        // Once somebody has set it, only the service's next answer tells.
        const isSet = this.#clock && Math.abs(driftOf(clock) - this.#clock.drift) > CLOCK_TOLERANCE_MS;
        return isSet ? undefined : this.#clock?.aheadMs;
      },
      decisions: () => this.#scheduler.decisions(),
      verifications: () => this.#scheduler.verifications(),
      lastMoments: () => this.#scheduler.lastMoments(),
      alarms: () => this.alarms.alarms,
      restores: () => this.restores.needs,
      pause: () => this.#scheduler.paused,
    });
  }

  #resume(): Promise<void> | undefined {
    try {
      return this.restores.resume()?.catch(report);
    } catch (error) {
      // The state tells of a journal that cannot be read; what was kept stays for the next start.
      if (!failureOf(error)) report(error);
      return undefined;
    }
  }

  async #missingPlace(): Promise<string | undefined> {
    const destination = this.#where();
    const { isPresent } = await this.#destination.look(destination);
    return isPresent || !destination ? undefined : locationOf(destination);
  }

  /** The metadata of a bucket are in the home, as a copy that a run brings up to date and publishes: nobody else has it open. */
  #mayShare({ kind }: Destination): boolean {
    return kind !== 'bucket' || this.#runs.busySet === undefined;
  }

  async #letGo(): Promise<void> {
    const destination = this.#where();
    if (destination && !this.#mayShare(destination)) await this.#queries.close();
  }

  #ended(run: EndedRun): void {
    try {
      this.#notices.ended(run);
    } catch (error) {
      // A run has ended as it has, whether anybody could be told or not.
      report(error);
    }
    // It may have failed because the destination is gone, which a look that is not due yet would tell a while later.
    if (run.outcome === 'failed') void this.#destination.look(this.#where());
    // Of its own ones the scheduler hears by itself.
    if (run.trigger === 'person') this.#scheduler.runEnded();
  }

  /** @throws HoldfastError `home_damaged` */
  #sets(): readonly ConfiguredSet[] {
    return loadSettings(this.#home)?.sets ?? [];
  }

  #where(): Destination | undefined {
    return this.#settings()?.destination;
  }

  #settings(): Settings | undefined {
    try {
      return loadSettings(this.#home);
    } catch {
      // The state tells the damage.
      return undefined;
    }
  }

  #lookForAlarms(): void {
    try {
      this.alarms.look();
    } catch (error) {
      // So it does with a journal that cannot be read.
      if (!failureOf(error)) report(error);
    }
  }

  #lastRuns(set: string): LastRuns {
    const history = this.#history(set);
    if (!history) return {};
    const { lastBackup, lastVerify, wasBegunHere } = history;
    return { backup: lastBackup && { ...lastBackup, resumesItself: wasBegunHere }, verify: lastVerify };
  }

  /** @throws HoldfastError `home_damaged` */
  #history(set: string): SetHistory | undefined {
    const settings = loadSettings(this.#home);
    if (!settings) return undefined;
    const { deviceId, since } = settings;
    return this.records.read((catalog) => this.#histories.of(catalog, deviceId, set, since));
  }

  #settle(): void {
    try {
      if (loadSettings(this.#home)) this.records.settle();
    } catch {
      // The state tells the damage.
    }
  }
}

/** Changes when a clock is set. */
function driftOf(clock: Clock): number {
  return clock.now() - performance.now();
}

/** For whoever looks for the mistake. */
function report(error: unknown): void {
  process.stderr.write(`${inspect(error)}\n`);
}

async function outcomeOf(begun: Promise<BegunRun>): Promise<EndedRun['outcome']> {
  const { ended } = await begun;
  return (await ended).outcome;
}
