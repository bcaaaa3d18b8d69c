import type { BackupProgress, RestoreProgress } from '../../../jobs/progress.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import type { Trigger } from '../../../model/run.ts';
import type { Agent } from '../../agent.ts';
import { requireSettings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import { requireSet } from '../../operations/sets.ts';
import type { PreferencesStore } from '../preferences.ts';
import type { DestinationProgress } from './destination-progress.ts';
import { lineLimits } from './line-limits.ts';
import type { RunQueue } from './run-queue.ts';
import type { BegunRun } from './run-request.ts';

export interface RunStarterParts {
  readonly agent: Agent;
  readonly runs: Pick<RunQueue, 'start'>;
  readonly clock: { now(): number };
  readonly preferences: Pick<PreferencesStore, 'get'>;
  readonly known: {
    /** Returns what the newest restore point of a set contains. */
    newestPoint(set: string): { readonly files: number; readonly bytes: number } | undefined;
  };
  readonly progress: Pick<DestinationProgress, 'begin' | 'update' | 'ended' | 'end'>;
}

export interface BackupChoice {
  /** Entry paths of folders that are known to contain changes. */
  readonly first?: readonly string[];
  /** Ids of destinations; all by default. */
  readonly at?: readonly string[] | undefined;
  /** Entry paths of folders that a person accepts as they are. */
  readonly accepted?: readonly string[];
}

/** Begins backups and verifications with the limits and the priority of their sets. */
export class RunStarter {
  readonly #parts: RunStarterParts;

  constructor(parts: RunStarterParts) {
    this.#parts = parts;
  }

  /** @throws what `RunQueue.start` throws */
  async backup(set: string, trigger: Trigger, { first = [], at, accepted = [] }: BackupChoice = {}): Promise<BegunRun> {
    const { agent, runs, progress, known } = this.#parts;
    const { limits } = requireSet(requireSettings(agent.parts.home), set);
    const entries = this.#entries(at);
    const options = {
      set,
      ...this.limits(set, entries),
      priority: limits?.priority ?? 'auto',
      attended: trigger === 'person',
      isQueued: true,
      first,
      accepted,
      ...(at ? { destinations: at } : {}),
    };
    const request = { kind: 'backup', set, trigger, targets: entries, expected: known.newestPoint(set) } as const;
    return runs.start<BackupProgress>(request, async (run) => {
      progress.begin(entries);
      try {
        return await agent.backup(options, {
          ...run,
          onProgressAt: (id, there) => {
            run.onProgressAt?.(id, there);
            progress.update(id, there);
          },
          onEndAt: (id, failure) => {
            progress.ended(id, failure);
            run.onEndAt?.(id, failure);
          },
        });
      } finally {
        progress.end();
      }
    });
  }

  /** Verifies all restore points, or samples of the newest and of an earlier one. @throws what `RunQueue.start` throws */
  async verify(set: string, samplePercent: number, trigger: Trigger): Promise<BegunRun> {
    const { agent, runs } = this.#parts;
    const beside = samplePercent === 100 ? 'all' : 'another';
    const options = { ...this.limits(set), set, at: 'latest', samplePercent, beside } as const;
    return runs.start<RestoreProgress>({ kind: 'verify', set, trigger }, (run) => agent.verify(options, run));
  }

  /** Restores a sample of the newest restore point to a temporary folder. @throws what `RunQueue.start` throws */
  async drill(set: string, trigger: Trigger): Promise<BegunRun> {
    const { agent, runs } = this.#parts;
    const options = { ...this.limits(set), set, at: 'latest' } as const;
    return runs.start<RestoreProgress>({ kind: 'drill', set, trigger }, (run) => agent.drill(options, run));
  }

  /**
   * Checks a destination, or repairs it.
   *
   * @param id the first by default
   * @param percent the share of the packs to read completely, if any
   * @throws HoldfastError `destination_unknown`, `usage` (`check-of-service`), and what `RunQueue.start` throws
   */
  async check(kind: 'check' | 'repair', id?: string, percent?: number): Promise<BegunRun> {
    const { agent, runs } = this.#parts;
    const there = agent.at(id);
    const settings = there.settings();
    const isOneOfSeveral = settings !== undefined && settings.others.length > 0;
    const place = isOneOfSeveral ? { id: settings.id, name: settings.name } : undefined;
    return runs.start<RestoreProgress>({ kind, set: '', trigger: 'person', ...(place ? { place } : {}) }, (run) =>
      there[kind]({ percent }, run),
    );
  }

  /**
   * The transfer limits of a run; none if no destination is a service, to which alone they apply.
   *
   * @param set may be another device's
   * @param entries the destinations of the run
   */
  limits(set: string, entries = this.#entries(undefined)): TransferLimits {
    const { agent, preferences, clock } = this.#parts;
    if (!entries.some(({ destination }) => destination.kind === 'service')) return {};
    const known = agent.settings()?.sets.find(({ name }) => name === set);
    return lineLimits(known?.limits, preferences.get(), () => clock.now());
  }

  /** @param ids all by default */
  #entries(ids: readonly string[] | undefined): readonly DestinationEntry[] {
    const all = this.#parts.agent.settings()?.all ?? [];
    return ids ? all.filter(({ id }) => ids.includes(id)) : all;
  }
}
