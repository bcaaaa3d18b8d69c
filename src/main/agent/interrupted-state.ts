import type { AppState, Need, SetState } from '../../ipc/state.ts';

/** For so long a person is told that the agent had to be started again; milliseconds. */
export const TOLD_MS = 3_600_000;

/** The state as the agent tells it, and that it had to be started again, where that was a short while ago. */
export function withRestart(state: AppState, restartedAt: number | undefined): AppState {
  if (restartedAt === undefined) return state;
  const need: Need = { kind: 'agent-restarted', at: restartedAt };
  return { ...state, needs: [...state.needs, need] };
}

/**
 * What is to be shown from the moment on at which the agent is gone until it is there again: nothing runs, whatever it
 * said last.
 *
 * @param restartsAt when it is started again
 */
export function interruptedState(last: AppState, goneAt: number, restartsAt: number): AppState {
  const waits = (set: SetState): SetState =>
    set.decision.kind === 'running' || last.runs.some((run) => run.set === set.name)
      ? {
          ...set,
          decision: {
            kind: 'waiting',
            since: goneAt,
            reason: { kind: 'retry', at: restartsAt, failure: { code: 'agent_gone', details: {} } },
          },
        }
      : set;
  const health = last.health === 'running' || last.health === 'protected' ? 'waiting' : last.health;
  return withRestart({ ...last, health, runs: [], sets: last.sets.map(waits) }, goneAt);
}
