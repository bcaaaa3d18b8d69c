import type { BackupProgress, RestoreProgress } from '../../../engine/job/progress.ts';
import type { TransferLimits } from '../../../engine/transfer/http/rate-limited-http.ts';
import type { Preferences } from '../../../ipc/contract/preferences.ts';
import type { Trigger } from '../../../ipc/state.ts';
import type { Agent } from '../../agent.ts';
import type { BegunRun, RunQueue } from './run-queue.ts';
import { lineLimits } from './line-limits.ts';

export interface RunStarterParts {
  readonly agent: Agent;
  readonly runs: RunQueue;
  readonly clock: { now(): number };
  readonly preferences: () => Preferences;
}

/** Begins runs as their sets say: with the limits and the priority that they have. */
export class RunStarter {
  readonly #parts: RunStarterParts;

  constructor(parts: RunStarterParts) {
    this.#parts = parts;
  }

  /**
   * @param first entry paths of folders in which something is known to have changed
   * @throws what `RunQueue.start` throws
   */
  async backup(set: string, trigger: Trigger, first: readonly string[] = []): Promise<BegunRun> {
    const { agent, runs } = this.#parts;
    const { limits } = agent.set(set);
    const options = {
      ...this.limits(set),
      priority: limits?.priority ?? 'auto',
      attended: trigger === 'person',
      first,
    };
    return runs.start<BackupProgress>({ kind: 'backup', set, trigger }, (run) => agent.backup(set, options, run));
  }

  /** Of the newest restore point. @throws what `RunQueue.start` throws */
  async verify(set: string, samplePercent: number, trigger: Trigger): Promise<BegunRun> {
    const { agent, runs } = this.#parts;
    const options = { ...this.limits(set), set, at: 'latest', samplePercent } as const;
    return runs.start<RestoreProgress>({ kind: 'verify', set, trigger }, (run) => agent.verify(options, run));
  }

  /** What a run of a set may take of the line; nothing where there is none in between. @param set may be another's */
  limits(set: string): TransferLimits {
    const { agent, preferences, clock } = this.#parts;
    const settings = agent.settings();
    if (settings?.destination.kind !== 'service') return {};
    return lineLimits(settings.sets.find(({ name }) => name === set)?.limits, preferences(), () => clock.now());
  }
}
