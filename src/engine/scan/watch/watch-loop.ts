import type { Clock } from '../../../base/clock.ts';
import type { ChangeWatcher } from './change-watcher.ts';
import { nextRunAt, type WatchTiming } from './next-run.ts';

/** What a loop hears of changes from. */
export type PendingChanges = Pick<ChangeWatcher, 'pending' | 'take' | 'limitation'>;

/** The clock may be set meanwhile, and the computer may sleep. */
const LONGEST_SLEEP = 60 * 60_000;

/** Starts runs whenever one is due, one after the other, until it is stopped. */
export class WatchLoop {
  readonly #pace: WatchTiming;
  readonly #clock: Clock;
  #awake = new AbortController();

  constructor(pace: WatchTiming, clock: Clock) {
    this.#pace = pace;
    this.#clock = clock;
  }

  /** To be called whenever there is a change. */
  readonly onChange = (): void => this.#awake.abort();

  /**
   * @param run gets the entry paths of the folders that changed; answers whether it succeeded
   * @param signal ends the loop, after the run that is on
   */
  async until(
    signal: AbortSignal,
    changes: PendingChanges,
    run: (first: readonly string[]) => Promise<boolean>,
  ): Promise<void> {
    let [startedAt, failed]: [number | undefined, boolean] = [undefined, false];
    while (!signal.aborted) {
      this.#awake = new AbortController();
      const partial = changes.limitation !== undefined;
      const due = nextRunAt({ pace: this.#pace, startedAt, failed, changes: changes.pending(), partial });
      const now = this.#clock.now();
      if (due > now) {
        await this.#sleep(Math.min(due - now, LONGEST_SLEEP), signal, changes.pending() === undefined);
        continue;
      }
      startedAt = now;
      failed = !(await run(changes.take()?.directories ?? []));
    }
  }

  /** @param mayWake whether a change makes the next run due earlier; further ones only put it off */
  async #sleep(milliseconds: number, signal: AbortSignal, mayWake: boolean): Promise<void> {
    const until = mayWake ? AbortSignal.any([signal, this.#awake.signal]) : signal;
    try {
      await this.#clock.sleep(milliseconds, until);
    } catch {
      // It was woken.
    }
  }
}
