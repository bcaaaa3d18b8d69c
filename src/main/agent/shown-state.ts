import type { AppState } from '../../ipc/state.ts';
import { interruptedState, TOLD_MS, withRestart } from './interrupted-state.ts';

/** What the window and the tray show: what the agent says, and what became of the agent. */
export class ShownState {
  readonly #publish: (state: AppState) => void;
  #told: AppState | undefined;
  #shown: AppState | undefined;
  #goneAt: number | undefined;
  #forgetting: NodeJS.Timeout | undefined;

  constructor(publish: (state: AppState) => void) {
    this.#publish = publish;
  }

  /** Nothing before the agent has said something for the first time. */
  get current(): AppState | undefined {
    return this.#shown;
  }

  told(state: AppState): void {
    this.#told = state;
    this.#show(withRestart(state, this.#goneAt));
  }

  /** The agent ended though nobody asked it to. */
  gone(restartsAt: number): void {
    this.#goneAt = Date.now();
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => {
      this.#goneAt = undefined;
      if (this.#told) this.#show(this.#told);
    }, TOLD_MS);
    if (this.#told) this.#show(interruptedState(this.#told, this.#goneAt, restartsAt));
  }

  #show(state: AppState): void {
    this.#shown = state;
    this.#publish(state);
  }
}
