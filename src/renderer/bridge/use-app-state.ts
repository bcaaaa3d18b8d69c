import { create } from 'zustand';
import type { AppState } from '../../ipc/state.ts';
import { onState } from './bridge.ts';
import { withSharedParts } from '../shared/shared-parts.ts';

interface Held {
  /** Nothing before the agent has told it for the first time. */
  readonly state: AppState | undefined;
}

const useHeld = create<Held>(() => ({ state: undefined }));

/** From now on, the state is what the agent says. Answers what ends it. */
export function followState(): () => void {
  return onState((state) => useHeld.setState((held) => ({ state: withSharedParts(held.state, state) })));
}

/** What is chosen of the state; nothing before it is known. The choice has to be the same value while it has not changed. */
export function useAppState<Chosen>(choose: (state: AppState) => Chosen): Chosen | undefined {
  return useHeld(({ state }) => (state === undefined ? undefined : choose(state)));
}
