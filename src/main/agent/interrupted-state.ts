import type { AppState, SetState } from '../../ipc/state.ts';
import type { Need } from '../../model/need.ts';
import { HOUR } from '../../model/units.ts';

/** Time for which the restart of the agent is shown; milliseconds. */
export const RESTART_SHOWN_MS = HOUR;

/** Adds the need `agent-restarted` to the agent's state after a recent restart. */
export function withRestart(state: AppState, restartedAt: number | undefined): AppState {
  if (restartedAt === undefined) return state;
  const need: Need = { kind: 'agent-restarted', at: restartedAt };
  return { ...state, needs: [...state.needs, need] };
}

/**
 * Derives the state to show while the agent is not running: nothing runs, whatever its last state was.
 *
 * @param restartsAt the time of the restart
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
