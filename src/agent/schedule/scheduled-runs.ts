import { failureOf, type Failure } from '../../base/failure.ts';
import type { Start } from '../../engine/schedule/decide.ts';
import { verificationRules } from '../../engine/schedule/decide-verification.ts';
import type { EndedRun, Outcome } from '../../engine/schedule/decision.ts';
import { afterRun, afterStart } from '../../engine/schedule/remember.ts';
import type { ConfiguredSet } from '../home/settings.ts';
import type { Environment } from './environment.ts';
import type { OngoingRun, SchedulerOptions } from './ports.ts';
import type { ScheduleRecord } from './schedule-record.ts';
import { scheduleOf, type SetMemory } from './set-decisions.ts';
import type { SetWatchers } from './set-watchers.ts';

export type ScheduledKind = 'backup' | 'verify';

/** A due run of one of several sets. */
export interface DueRun {
  readonly set: ConfiguredSet;
  readonly kind: ScheduledKind;
  readonly start: Start;
}

/** Failures of runs that did not even begin. */
const NOT_BEGUN: ReadonlySet<string> = new Set(['home_busy', 'interrupted']);

export interface ScheduledRunsParts {
  readonly options: SchedulerOptions;
  readonly record: ScheduleRecord;
  readonly environment: Environment;
  readonly watchers: SetWatchers;
  readonly onEnd: () => void;
}

/** Performs due runs, one at a time, and stores their outcomes. */
export class ScheduledRuns {
  readonly #parts: ScheduledRunsParts;
  #ongoing: (OngoingRun & { readonly kind: ScheduledKind }) | undefined;

  constructor(parts: ScheduledRunsParts) {
    this.#parts = parts;
  }

  get ongoing(): OngoingRun | undefined {
    return this.#ongoing;
  }

  begin({ set, kind, start }: DueRun, now: number): OngoingRun {
    const { record } = this.#parts;
    const before = record.memoryOf(set.name)[kind];
    this.#ongoing = { set: set.name, kind, startedAt: now, trigger: start.trigger };
    if (before) record.remember(set.name, { [kind]: afterStart(before, start.moment) });
    void this.#run(set, this.#ongoing, before);
    return this.#ongoing;
  }

  async #run(
    set: ConfiguredSet,
    run: OngoingRun & { readonly kind: ScheduledKind },
    before: SetMemory[ScheduledKind],
  ): Promise<void> {
    const { record, onEnd } = this.#parts;
    const ended = await this.#outcome(set, run);
    this.#ongoing = undefined;
    // `undefined` if the set was removed meanwhile.
    const memory = record.memoryOf(set.name)[run.kind];
    if (memory && !ended) {
      record.remember(set.name, { [run.kind]: { ...memory, hold: before?.hold, lastMoment: before?.lastMoment } });
    } else if (memory && ended && !this.#isJournalled(run, before?.seenRun)) {
      record.remember(set.name, { [run.kind]: this.#afterRun(set, run.kind, memory, ended) });
    }
    onEnd();
  }

  /** Returns `undefined` if another process has locked the home. */
  async #outcome(set: ConfiguredSet, { kind, trigger, startedAt }: OngoingRun): Promise<EndedRun | undefined> {
    const { options, environment, watchers } = this.#parts;
    const { clock, startBackup, startVerify } = options;
    const ended = (outcome: Outcome): EndedRun => ({ startedAt, endedAt: clock.now(), outcome, resumesItself: true });
    try {
      if (kind === 'verify') return ended(await startVerify(set.name, set.verification?.samplePercent ?? 1));
      const first = watchers.take(set.name);
      return ended(await (first.length > 0 ? startBackup(set.name, trigger, first) : startBackup(set.name, trigger)));
    } catch (error) {
      const failure: Failure = failureOf(error) ?? { code: 'internal', details: {} };
      if (!NOT_BEGUN.has(failure.code)) return { ...ended('failed'), failure };
      environment.homeBusy(failure.code === 'home_busy' ? failure.details.command : undefined);
      return undefined;
    }
  }

  /**
   * Returns whether the journal has a record of the run, which the next decision takes into account.
   *
   * @param seenRun the newest run in the journal before this one
   */
  #isJournalled({ set, kind }: { readonly set: string; readonly kind: ScheduledKind }, seenRun?: number): boolean {
    const journalled = this.#parts.options.lastRuns(set)[kind];
    return journalled !== undefined && journalled.startedAt !== seenRun;
  }

  #afterRun(
    set: ConfiguredSet,
    kind: ScheduledKind,
    memory: NonNullable<SetMemory[ScheduledKind]>,
    run: EndedRun,
  ): SetMemory[ScheduledKind] {
    const now = run.endedAt;
    const rules =
      kind === 'backup' ? { schedule: scheduleOf(set) } : verificationRules(set.verification?.everyDays ?? 1);
    const next = afterRun(memory, run, { now, ...rules });
    return { ...next, ownRun: { from: run.startedAt, to: run.endedAt } };
  }
}
