import type { BackupProgress, RestoreProgress } from '../../../engine/job/progress.ts';
import type { TransferLimits } from '../../../engine/transfer/http/rate-limited-http.ts';
import type { Trigger } from '../../../ipc/state.ts';
import type { Agent } from '../../agent.ts';
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
   * @param destinations ids; all by default
   * @throws what `RunQueue.start` throws
   */
  async backup(
    set: string,
    trigger: Trigger,
    first: readonly string[] = [],
    destinations?: readonly string[],
  ): Promise<BegunRun> {
    const { agent, runs } = this.#parts;
    const { limits } = agent.set(set);
    const options = {
      ...this.limits(set),
      priority: limits?.priority ?? 'auto',
      attended: trigger === 'person',
      first,
      ...(destinations ? { destinations } : {}),
    };
    return runs.start<BackupProgress>({ kind: 'backup', set, trigger }, (run) => agent.backup(set, options, run));
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
    const { agent, preferences, clock } = this.#parts;
    const settings = agent.settings();
    if (settings?.destination.kind !== 'service') return {};
    return lineLimits(settings.sets.find(({ name }) => name === set)?.limits, preferences.get(), () => clock.now());
  }
}
