import { networkInterfaces } from 'node:os';
import { UNKNOWN_NETWORK } from '../../engine/power/network.ts';
import { UNKNOWN_POWER } from '../../engine/power/ports.ts';
import { loadSettings, locationOf } from '../home/settings.ts';
import type { ConfiguredSet } from '../../ipc/contract/configured-set.ts';
import { ElapsedTime, LONGEST_WAIT } from './elapsed-time.ts';
import type { SchedulerOptions } from './ports.ts';
import type { Surroundings, Work } from './set-decisions.ts';
import { followTimeZone } from './time-zone.ts';

/** What the runs of all sets depend on, as far as it is not the person's word. */
export class Environment {
  readonly #options: SchedulerOptions;
  readonly #elapsed: ElapsedTime;
  /** A run that somebody else has, of which not more is known than when it was first seen. */
  #foreign: Work | undefined;
  #busy: { readonly holder?: string | undefined; readonly until: number } | undefined;
  #network: { readonly mark: string; readonly since: number | undefined } | undefined;

  /** @param seenAt when somebody last looked before this began; nothing where that is not known */
  constructor(options: SchedulerOptions, seenAt: number | undefined) {
    this.#options = options;
    this.#elapsed = new ElapsedTime(options.clock.now(), seenAt);
  }

  /** Everything but what takes time to find out. */
  look(now: number, own: Work | undefined): Omit<Surroundings, 'pause'> {
    this.#elapsed.look(now);
    followTimeZone();
    if (this.#busy && (this.#busy.until <= now || this.#busy.until > now + LONGEST_WAIT)) this.#busy = undefined;
    const mark = this.#networkMark();
    if (this.#network?.mark !== mark) this.#network = { mark, since: this.#network && now };
    return {
      now,
      gaps: this.#elapsed.gaps,
      readings: { power: UNKNOWN_POWER, network: UNKNOWN_NETWORK },
      areConditionsKnown: false,
      networkSince: this.#network?.since,
      busy: this.#busy,
      work: own ?? this.#foreignWork(now),
    };
  }

  /** What takes time: what the conditions of these sets are held against, and whether the destination is there. */
  async conditions(
    sets: readonly ConfiguredSet[],
  ): Promise<Pick<Surroundings, 'readings' | 'absentPlace' | 'areConditionsKnown'>> {
    const { readings, destinationPresent } = this.#options;
    const all = sets.flatMap((set) => set.conditions ?? []);
    const needsPower = all.some(({ onlyOnMains, batteryAtLeast }) => onlyOnMains || batteryAtLeast !== undefined);
    const needsNetwork = all.some(({ notMetered, networks = [] }) => notMetered || networks.length > 0);
    const [power, network, isPresent] = await Promise.all([
      needsPower ? readings.power.read() : UNKNOWN_POWER,
      needsNetwork ? readings.network.read() : UNKNOWN_NETWORK,
      destinationPresent(),
    ]);
    return {
      readings: { power, network },
      areConditionsKnown: true,
      absentPlace: isPresent ? undefined : this.#place(),
    };
  }

  /** The network has become another one, as somebody heard. */
  networkChanged(): void {
    this.#network = { mark: this.#networkMark(), since: this.#options.clock.now() };
  }

  /** Another process works on the home: it is asked again a little later. */
  homeBusy(holder: string | undefined): void {
    this.#busy = { holder, until: this.#options.clock.now() + LONGEST_WAIT };
  }

  /** When another process is asked again; nothing where none is waited for. */
  get busyUntil(): number | undefined {
    return this.#busy?.until;
  }

  #networkMark(): string {
    if (this.#options.networkMark) return this.#options.networkMark();
    const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    return all.flatMap(({ internal, address }) => (internal ? [] : address)).join(' ');
  }

  #foreignWork(now: number): Work | undefined {
    const { activeRun, isRunning } = this.#options;
    const set = isRunning();
    if (set === undefined) this.#foreign = undefined;
    else if (this.#foreign?.set !== set) this.#foreign = { set, kind: 'backup', startedAt: now, trigger: 'person' };
    return activeRun?.() ?? this.#foreign;
  }

  #place(): string {
    const settings = loadSettings(this.#options.home);
    return settings ? locationOf(settings.destination) : '';
  }
}
