import { DEFAULT_PREFERENCES } from '../../ipc/contract/preferences.ts';
import type { AgentTrouble, AppState } from '../../ipc/state.ts';
import { interruptedState, TOLD_MS, withRestart } from './interrupted-state.ts';

/** What the window and the tray show: what the agent says, and what became of the agent. */
export class ShownState {
  readonly #publish: (state: AppState) => void;
  #told: AppState | undefined;
  #trouble: AgentTrouble | undefined;
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
    this.#trouble = undefined;
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

  /**
   * There is no agent that could tell anything.
   *
   * @param known what is to be shown where none ever has
   */
  troubled(trouble: AgentTrouble, known: Pick<AppState, 'version' | 'home'>): void {
    this.#trouble = trouble;
    this.#show(this.#shown ?? unknownState(known));
  }

  #show(state: AppState): void {
    const { trouble: _, ...rest } = state;
    this.#shown = this.#trouble ? { ...rest, health: 'at-risk', trouble: this.#trouble } : rest;
    this.#publish(this.#shown);
  }
}

function unknownState(known: Pick<AppState, 'version' | 'home'>): AppState {
  const nothing = { sets: [], runs: [], needs: [], storage: { protectedBytes: 0 }, days: [] };
  return { ...known, ...nothing, health: 'at-risk', preferences: DEFAULT_PREFERENCES };
}
