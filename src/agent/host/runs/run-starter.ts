import type { BackupProgress, RestoreProgress } from '../../../engine/job/progress.ts';
import type { TransferLimits } from '../../../engine/transfer/http/rate-limited-http.ts';
import type { Trigger } from '../../../ipc/state.ts';
import type { Agent } from '../../agent.ts';
import type { DestinationEntry } from '../../home/settings.ts';
import type { PreferencesStore } from '../preferences.ts';
import { lineLimits } from './line-limits.ts';
import type { RunQueue } from './run-queue.ts';
import type { BegunRun } from './run-request.ts';

export interface RunStarterParts {
  readonly agent: Agent;
  readonly runs: Pick<RunQueue, 'start'>;
  readonly clock: { now(): number };
  readonly preferences: Pick<PreferencesStore, 'get'>;
}

/** Begins backups and verifications with the limits and the priority of their sets. */
export class RunStarter {
  readonly #parts: RunStarterParts;

  constructor(parts: RunStarterParts) {
    this.#parts = parts;
  }

  /**
   * @param first entry paths of folders that are known to contain changes
   * @param at ids of destinations; all by default
   * @throws what `RunQueue.start` throws
   */
  async backup(
    set: string,
    trigger: Trigger,
    first: readonly string[] = [],
    at?: readonly string[],
  ): Promise<BegunRun> {
    const { agent, runs } = this.#parts;
    const { limits } = agent.set(set);
    const all = agent.settings()?.all ?? [];
    const destinations = at ?? all.map(({ id }) => id);
    const chosen = all.filter(({ id }) => destinations.includes(id));
    const options = {
      ...this.#limits(set, chosen),
      priority: limits?.priority ?? 'auto',
      attended: trigger === 'person',
      first,
      destinations,
    };
    return runs.start<BackupProgress>({ kind: 'backup', set, trigger, destinations }, (run) =>
      agent.backup(set, options, run),
    );
  }

  /** Verifies the newest restore point. @throws what `RunQueue.start` throws */
  async verify(set: string, samplePercent: number, trigger: Trigger): Promise<BegunRun> {
    const { agent, runs } = this.#parts;
    const options = { ...this.limits(set), set, at: 'latest', samplePercent } as const;
    return runs.start<RestoreProgress>({ kind: 'verify', set, trigger }, (run) => agent.verify(options, run));
  }

  /**
   * Checks the destination, or repairs it.
   *
   * @param percent the share of the packs to read completely, if any
   * @throws HoldfastError `usage` (`check-of-service`), and what `RunQueue.start` throws
   */
  async check(kind: 'check' | 'repair', percent?: number): Promise<BegunRun> {
    const { agent, runs } = this.#parts;
    return runs.start<RestoreProgress>({ kind, set: '', trigger: 'person' }, (run) => agent[kind]({ percent }, run));
  }

  /** The transfer limits of a run; none if the destination is not a service. @param set may be another device's */
  limits(set: string): TransferLimits {
    const settings = this.#parts.agent.settings();
    return settings ? this.#limits(set, [settings]) : {};
  }

  /** None if no destination is a service. */
  #limits(set: string, destinations: readonly Pick<DestinationEntry, 'destination'>[]): TransferLimits {
    const { agent, preferences, clock } = this.#parts;
    if (!destinations.some(({ destination }) => destination.kind === 'service')) return {};
    const { limits } = agent.settings()?.sets.find(({ name }) => name === set) ?? {};
    return lineLimits(limits, preferences.get(), () => clock.now());
  }
}
