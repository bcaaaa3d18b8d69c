import { networkInterfaces } from 'node:os';
import { UNKNOWN_NETWORK } from '../../os/power/network.ts';
import { UNKNOWN_POWER } from '../../os/power/ports.ts';
import type { ConfiguredSet } from '../../model/set.ts';
import { ClockGaps, MAX_WAIT_MS } from './clock-gaps.ts';
import type { OngoingRun, SchedulerOptions } from './ports.ts';
import type { SharedFacts } from './set-decisions.ts';
import { followTimeZone } from './time-zone.ts';

const NONE: ReadonlySet<string> = new Set();

/** Gathers the facts about the computer that decisions depend on: time, power, network, destination, other runs. */
export class Environment {
  readonly #options: SchedulerOptions;
  readonly #gaps: ClockGaps;
  /** A run that the scheduler did not start, as first seen. */
  #foreign: OngoingRun | undefined;
  #busy: { readonly holder?: string | undefined; readonly until: number } | undefined;
  #network: { readonly mark: string; readonly since: number | undefined } | undefined;

  /** @param evaluatedAt the last evaluation of an earlier process, if known */
  constructor(options: SchedulerOptions, evaluatedAt: number | undefined) {
    this.#options = options;
    this.#gaps = new ClockGaps(options.clock.now(), evaluatedAt);
  }

  /** Returns the facts that are available immediately. */
  facts(now: number, own: OngoingRun | undefined): Omit<SharedFacts, 'pause'> {
    this.#gaps.evaluated(now);
    followTimeZone();
    if (this.#busy && (this.#busy.until <= now || this.#busy.until > now + MAX_WAIT_MS)) this.#busy = undefined;
    const mark = this.#networkMark();
    if (this.#network?.mark !== mark) this.#network = { mark, since: this.#network && now };
    return {
      now,
      gaps: this.#gaps.gaps,
      readings: { power: UNKNOWN_POWER, network: UNKNOWN_NETWORK },
      areConditionsKnown: false,
      networkSince: this.#network?.since,
      busy: this.#busy,
      absent: NONE,
      ongoing: own ? this.#withTargets(own) : this.#foreignRun(now),
    };
  }

  /** Reads the facts that take time: power and network, if the sets have conditions on them, and absent destinations. */
  async readConditions(
    sets: readonly ConfiguredSet[],
  ): Promise<Pick<SharedFacts, 'readings' | 'absent' | 'areConditionsKnown'>> {
    const { readings } = this.#options;
    const all = sets.flatMap((set) => set.conditions ?? []);
    const needsPower = all.some(({ onlyOnMains, batteryAtLeast }) => onlyOnMains || batteryAtLeast !== undefined);
    const needsNetwork = all.some(({ notMetered, networks = [] }) => notMetered || networks.length > 0);
    const [power, network, absent] = await Promise.all([
      needsPower ? readings.power.read() : UNKNOWN_POWER,
      needsNetwork ? readings.network.read() : UNKNOWN_NETWORK,
      this.#options.absent(),
    ]);
    return { readings: { power, network }, areConditionsKnown: true, absent };
  }

  networkChanged(): void {
    this.#network = { mark: this.#networkMark(), since: this.#options.clock.now() };
  }

  /** Records that another process has locked the home. The lock is tried again a little later. */
  homeBusy(holder: string | undefined): void {
    this.#busy = { holder, until: this.#options.clock.now() + MAX_WAIT_MS };
  }

  /** When the lock of the home is tried again, if another process has it. */
  get busyUntil(): number | undefined {
    return this.#busy?.until;
  }

  #networkMark(): string {
    if (this.#options.networkMark) return this.#options.networkMark();
    const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    return all.flatMap(({ internal, address }) => (internal ? [] : address)).join(' ');
  }

  /** The scheduler itself does not follow where its run has ended. */
  #withTargets(own: OngoingRun): OngoingRun {
    const active = this.#options.activeRun?.();
    const isOwn = active?.set === own.set && active.kind === own.kind;
    return isOwn ? { ...own, remaining: active.remaining } : own;
  }

  #foreignRun(now: number): OngoingRun | undefined {
    const { activeRun, isRunning } = this.#options;
    const set = isRunning();
    if (set === undefined) this.#foreign = undefined;
    else if (this.#foreign?.set !== set) this.#foreign = { set, kind: 'backup', startedAt: now, trigger: 'person' };
    return activeRun?.() ?? this.#foreign;
  }
}
