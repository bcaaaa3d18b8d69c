import type { AppState } from '../../../ipc/state.ts';
import { reportError } from '../report-error.ts';
import type { StateChanges } from '../state-changes.ts';

/** At most four states per second: more than anybody can read. */
const PAUSE_MS = 250;

/** Publishes the app state soon after a change that was notified, if it differs from the one published last. */
export class StatePublisher {
  readonly #make: () => AppState;
  readonly #publish: (state: AppState) => void;
  #last: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #madeAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(changes: StateChanges, make: () => AppState, publish: (state: AppState) => void) {
    this.#make = make;
    this.#publish = publish;
    changes.subscribe(() => this.#schedule());
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Makes the state at once after a quiet time, and else when the pause is over. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    const pause = Math.max(0, this.#madeAt + PAUSE_MS - performance.now());
    this.#timer = setTimeout(() => this.#publishIfChanged(), pause);
  }

  #publishIfChanged(): void {
    this.#timer = undefined;
    this.#madeAt = performance.now();
    try {
      const state = this.#make();
      const text = JSON.stringify(state);
      if (text === this.#last) return;
      this.#last = text;
      this.#publish(state);
    } catch (error) {
      reportError(error);
    }
  }
}
