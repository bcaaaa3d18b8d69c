import { create } from 'zustand';
import type { AppState } from '../../ipc/state.ts';
import { onState } from './bridge.ts';
import { withSharedParts } from './deep-equality.ts';

interface Held {
  /** `undefined` before the agent has sent the first state. */
  readonly state: AppState | undefined;
}

const useHeld = create<Held>(() => ({ state: undefined }));

/** Follows the state of the agent. Returns a function that ends it. */
export function followState(): () => void {
  return onState((state) => useHeld.setState((held) => ({ state: withSharedParts(held.state, state) })));
}

/**
 * Returns the selected part of the state; `undefined` before the first state. The selector must return the same value
 * as long as nothing has changed.
 */
export function useAppState<Chosen>(choose: (state: AppState) => Chosen): Chosen | undefined {
  return useHeld(({ state }) => (state === undefined ? undefined : choose(state)));
}
