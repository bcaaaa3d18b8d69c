import type { Clock } from '../../../base/clock.ts';
import type { ChangeWatcher } from './change-watcher.ts';
import { nextRunAt, type WatchTiming } from './next-run.ts';
import { HOUR } from '../../../model/units.ts';

/** The part of ChangeWatcher that a loop uses. */
export type PendingChanges = Pick<ChangeWatcher, 'pending' | 'take' | 'limitation'>;

/** Bounds the effect of clock changes and of the computer's sleep. */
const LONGEST_SLEEP = HOUR;

/** Starts due runs, one after another, until it is stopped. */
export class WatchLoop {
  readonly #timing: WatchTiming;
  readonly #clock: Clock;
  #wake = new AbortController();

  constructor(timing: WatchTiming, clock: Clock) {
    this.#timing = timing;
    this.#clock = clock;
  }

  /** Must be called for every change. */
  readonly onChange = (): void => this.#wake.abort();

  /**
   * @param run is passed the entry paths of changed folders; resolves to whether it succeeded
   * @param signal ends the loop after the current run
   */
  async until(
    signal: AbortSignal,
    changes: PendingChanges,
    run: (first: readonly string[]) => Promise<boolean>,
  ): Promise<void> {
    let [startedAt, failed]: [number | undefined, boolean] = [undefined, false];
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const partial = changes.limitation !== undefined;
      const due = nextRunAt({ timing: this.#timing, startedAt, failed, changes: changes.pending(), partial });
      const now = this.#clock.now();
      if (due > now) {
        await this.#sleep(Math.min(due - now, LONGEST_SLEEP), signal, changes.pending() === undefined);
        continue;
      }
      startedAt = now;
      failed = !(await run(changes.take()?.directories ?? []));
    }
  }

  /** @param mayWake whether a change makes the next run due earlier; later changes only postpone it */
  async #sleep(milliseconds: number, signal: AbortSignal, mayWake: boolean): Promise<void> {
    const until = mayWake ? AbortSignal.any([signal, this.#wake.signal]) : signal;
    try {
      await this.#clock.sleep(milliseconds, until);
    } catch {
      // Woken by a change.
    }
  }
}
