import type { AppState } from '../../../ipc/state.ts';

/** At most four states a second: more than anybody can read. */
const PAUSE_MS = 250;

/** Publishes the state whenever it has become another, soon after somebody says that it may have. */
export class StatePublisher {
  readonly #make: () => AppState;
  readonly #publish: (state: AppState) => void;
  readonly #failed: (error: unknown) => void;
  #last: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /**
   * @param publish not told a state that it was told last
   * @param failed told why there is none; what goes on goes on
   */
  constructor(make: () => AppState, publish: (state: AppState) => void, failed: (error: unknown) => void) {
    this.#make = make;
    this.#publish = publish;
    this.#failed = failed;
  }

  /** The state may be another one: it is made at once after a quiet time, and else when the pause is over. */
  changed(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    const pause = Math.max(0, this.#lookedAt + PAUSE_MS - performance.now());
    this.#timer = setTimeout(() => this.#look(), pause);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #look(): void {
    this.#timer = undefined;
    this.#lookedAt = performance.now();
    try {
      const state = this.#make();
      const text = JSON.stringify(state);
      if (text === this.#last) return;
      this.#last = text;
      this.#publish(state);
    } catch (error) {
      this.#failed(error);
    }
  }
}
