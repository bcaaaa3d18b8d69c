import { failureOf, INTERNAL, type Failure } from '../../base/errors/failure.ts';
import type { EndedRun } from '../../schedule/ended-run.ts';
import type { Outcome } from '../../model/run.ts';
import type { Memory } from '../../schedule/memory.ts';
import { afterRun, afterStart } from '../../schedule/remember.ts';
import type { DuePart, DueRun } from './due-run.ts';
import type { Environment } from './environment.ts';
import type { OngoingRun, Scheduled, SchedulerOptions } from './ports.ts';
import type { ScheduleRecord } from './schedule-record.ts';
import type { SetWatchers } from './set-watchers.ts';

/** Failures of runs that did not even begin. */
const NOT_BEGUN: ReadonlySet<string> = new Set(['home_busy', 'interrupted']);

export interface ScheduledRunsParts {
  readonly options: SchedulerOptions;
  readonly record: ScheduleRecord;
  readonly environment: Environment;
  readonly watchers: SetWatchers;
  readonly onEnd: () => void;
}

/** A part of a run, with its memory from before. */
interface BegunPart {
  readonly scheduled: Scheduled;
  readonly rules: DuePart['rules'];
  readonly before: Memory;
}

/** Performs due runs, one at a time, and stores their outcomes. */
export class ScheduledRuns {
  readonly #parts: ScheduledRunsParts;
  #ongoing: OngoingRun | undefined;

  constructor(parts: ScheduledRunsParts) {
    this.#parts = parts;
  }

  get ongoing(): OngoingRun | undefined {
    return this.#ongoing;
  }

  begin(due: DueRun, now: number): OngoingRun {
    const { record } = this.#parts;
    const { set, kind, parts } = due;
    const destinations = parts.flatMap(({ destination }) => destination ?? []);
    const trigger = (parts.find(({ start }) => start.trigger !== 'resume') ?? parts[0]).start.trigger;
    const ongoing: OngoingRun = { set: set.name, kind, startedAt: now, trigger, destinations };
    this.#ongoing = ongoing;
    const begun = parts.flatMap(({ destination, kind: check, rules, start }): BegunPart[] => {
      const scheduled = { set: set.name, destination, kind: check };
      const before = record.memoryOf(scheduled);
      if (!before) return [];
      record.remember(scheduled, afterStart(before, start.moment));
      return [{ scheduled, rules, before }];
    });
    void this.#run(due, ongoing, begun);
    return ongoing;
  }

  async #run(due: DueRun, ongoing: OngoingRun, begun: readonly BegunPart[]): Promise<void> {
    const ended = await this.#outcome(due, ongoing);
    this.#ongoing = undefined;
    const unrecorded = begun.filter((part) => !this.#isJournalled(part));
    // Where a run has left no trace although it did elsewhere, it has failed, whatever its outcome is.
    const isPartly = unrecorded.length < begun.length;
    const lost = ended && isPartly && ended.outcome !== 'failed' ? { ...ended, outcome: 'failed' as const } : ended;
    for (const part of ended ? unrecorded : begun) this.#remember(part, lost);
    this.#parts.onEnd();
  }

  /** @param ended `undefined` if the run did not begin */
  #remember({ scheduled, rules, before }: BegunPart, ended: EndedRun | undefined): void {
    const { record } = this.#parts;
    const memory = record.memoryOf(scheduled);
    // The set or the destination was removed meanwhile.
    if (!memory) return;
    if (!ended) {
      record.remember(scheduled, { ...memory, hold: before.hold, lastMoment: before.lastMoment });
      return;
    }
    const next = afterRun(memory, ended, { now: ended.endedAt, ...rules });
    record.remember(scheduled, { ...next, ownRun: { from: ended.startedAt, to: ended.endedAt } });
  }

  /** Returns `undefined` if another process has locked the home. */
  async #outcome(
    { set, kind }: DueRun,
    { trigger, startedAt, destinations = [] }: OngoingRun,
  ): Promise<EndedRun | undefined> {
    const { options, environment, watchers } = this.#parts;
    const { clock, startBackup, startVerify, startDrill } = options;
    const ended = (outcome: Outcome): EndedRun => ({ startedAt, endedAt: clock.now(), outcome, resumesItself: true });
    try {
      if (kind === 'drill') return ended(await startDrill(set.name));
      if (kind === 'verify') return ended(await startVerify(set.name, set.verification?.samplePercent ?? 1));
      return ended(await startBackup(set.name, destinations, trigger, watchers.take(set.name)));
    } catch (error) {
      const failure: Failure = failureOf(error) ?? INTERNAL;
      if (!NOT_BEGUN.has(failure.code)) return { ...ended('failed'), failure };
      environment.homeBusy(failure.code === 'home_busy' ? failure.details.command : undefined);
      return undefined;
    }
  }

  /** Returns whether the journal has a record of the run, which the next decision takes into account. */
  #isJournalled({ scheduled, before }: BegunPart): boolean {
    const journalled = this.#parts.options.lastRun(scheduled);
    return journalled !== undefined && journalled.startedAt !== before.seenRun;
  }
}
