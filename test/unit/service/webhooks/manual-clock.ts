import type { DispatcherClock } from '../../../../src/service/webhooks/dispatcher.ts';

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** A clock that only tests advance. */
export class ManualClock implements DispatcherClock {
  #now: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason as Error);
      };
      const wake = (): void => {
        this.#sleepers.delete(sleeper);
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const sleeper: Sleeper = { at: this.#now + milliseconds, wake };
      if (signal.aborted) abort();
      else {
        this.#sleepers.add(sleeper);
        signal.addEventListener('abort', abort, { once: true });
      }
    });
  }

  /** Advances the time, and runs each timer at its own time. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      await settled();
      const next = this.#earliest();
      if (next === undefined || next.at > end) break;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    this.#now = end;
  }

  #earliest(): Sleeper | undefined {
    let earliest: Sleeper | undefined;
    for (const sleeper of this.#sleepers) if (earliest === undefined || sleeper.at < earliest.at) earliest = sleeper;
    return earliest;
  }
}

/** Resolves after all pending promises that wait for nothing external. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
