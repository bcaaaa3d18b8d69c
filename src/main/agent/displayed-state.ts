import { DEFAULT_PREFERENCES } from '../../ipc/contract/preferences.ts';
import type { AgentTrouble } from '../../ipc/home-state.ts';
import type { AppState } from '../../ipc/state.ts';
import { interruptedState, RESTART_SHOWN_MS, withRestart } from './interrupted-state.ts';

/** The state that the window and the tray show: the agent's, adjusted while the agent is not running or does not start. */
export class DisplayedState {
  readonly #publish: (state: AppState) => void;
  #reported: AppState | undefined;
  #trouble: AgentTrouble | undefined;
  #shown: AppState | undefined;
  #goneAt: number | undefined;
  #clearTimer: NodeJS.Timeout | undefined;

  constructor(publish: (state: AppState) => void) {
    this.#publish = publish;
  }

  /** Is `undefined` until the agent has sent its first state. */
  get current(): AppState | undefined {
    return this.#shown;
  }

  update(state: AppState): void {
    this.#reported = state;
    this.#trouble = undefined;
    this.#show(withRestart(state, this.#goneAt));
  }

  /** Called when the agent ended unexpectedly. */
  agentExited(restartsAt: number): void {
    this.#goneAt = Date.now();
    clearTimeout(this.#clearTimer);
    this.#clearTimer = setTimeout(() => this.dismissRestart(), RESTART_SHOWN_MS);
    if (this.#reported) this.#show(interruptedState(this.#reported, this.#goneAt, restartsAt));
  }

  /** Shows no longer that the agent was restarted. */
  dismissRestart(): void {
    clearTimeout(this.#clearTimer);
    this.#goneAt = undefined;
    const { needs } = this.#shown ?? { needs: [] };
    if (this.#shown) this.#show({ ...this.#shown, needs: needs.filter(({ kind }) => kind !== 'agent-restarted') });
  }

  /**
   * Called when the agent does not start.
   *
   * @param fallback shown if the agent has never sent a state
   */
  agentFailing(trouble: AgentTrouble, fallback: Pick<AppState, 'version' | 'home'>): void {
    this.#trouble = trouble;
    this.#show(this.#shown ?? unknownState(fallback));
  }

  #show(state: AppState): void {
    const { trouble: _, ...rest } = state;
    this.#shown = this.#trouble ? { ...rest, health: 'at-risk', trouble: this.#trouble } : rest;
    this.#publish(this.#shown);
  }
}

function unknownState(known: Pick<AppState, 'version' | 'home'>): AppState {
  const nothing = { destinations: [], sets: [], runs: [], needs: [], storage: { protectedBytes: 0 }, days: [] };
  return { ...known, ...nothing, health: 'at-risk', preferences: DEFAULT_PREFERENCES };
}
