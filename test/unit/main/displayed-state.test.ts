import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import { appState } from '../../../src/ipc/state.ts';
import { DisplayedState } from '../../../src/main/agent/displayed-state.ts';
import { DOCUMENTS, PROTECTED, RUNNING } from '../../app/renderer/states.ts';

const AT = 1_000_000;
const BUSY: AppState = {
  ...PROTECTED,
  health: 'running',
  runs: [RUNNING],
  sets: [{ ...DOCUMENTS, decision: { kind: 'running', since: AT, trigger: 'schedule' } }],
};

let shown: AppState[];
let state: DisplayedState;

beforeEach(() => {
  vi.useFakeTimers({ now: AT });
  shown = [];
  state = new DisplayedState((next) => shown.push(appState.parse(next)));
});
afterEach(() => vi.useRealTimers());

describe('DisplayedState', () => {
  test("shows the agent's state", () => {
    state.update(BUSY);
    expect(shown).toEqual([BUSY]);
    expect(state.current).toEqual(BUSY);
  });

  test('shows no runs while the agent is not running', () => {
    state.update(BUSY);
    state.agentExited(AT + 500);
    const [, gone] = shown;
    expect(gone!.runs).toEqual([]);
    expect(gone!.health).toBe('waiting');
    expect(gone!.sets[0]!.decision).toEqual({
      kind: 'waiting',
      since: AT,
      reason: { kind: 'retry', at: AT + 500, failure: { code: 'agent_gone', details: {} } },
    });
    expect(gone!.needs).toContainEqual({ kind: 'agent-restarted', at: AT });
  });

  test('shows for an hour that the agent was restarted', () => {
    state.update(PROTECTED);
    state.agentExited(AT + 500);
    state.update(PROTECTED);
    expect(shown.at(-1)).toEqual({ ...PROTECTED, needs: [{ kind: 'agent-restarted', at: AT }] });
    vi.advanceTimersByTime(3_600_000);
    expect(shown.at(-1)).toEqual(PROTECTED);
  });

  test('no longer shows a restart that the person has dismissed', () => {
    state.update(PROTECTED);
    state.agentExited(AT + 500);
    state.dismissRestart();
    expect(shown.at(-1)!.needs).toEqual([]);
    state.update(PROTECTED);
    vi.advanceTimersByTime(3_600_000);
    expect(shown.at(-1)).toEqual(PROTECTED);
  });

  test('keeps a worse health while the agent is not running', () => {
    state.update({ ...PROTECTED, health: 'at-risk' });
    state.agentExited(AT + 500);
    expect(shown.at(-1)!.health).toBe('at-risk');
  });

  test('is undefined until the agent has sent a state', () => {
    state.agentExited(AT + 500);
    expect(shown).toEqual([]);
  });
});
