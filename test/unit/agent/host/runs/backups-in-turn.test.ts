import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { BackupsInTurn } from '../../../../../src/agent/host/runs/backups-in-turn.ts';
import type { RunListener } from '../../../../../src/agent/host/runs/run-queue.ts';
import type { BegunRun, EndedRun } from '../../../../../src/agent/host/runs/run-request.ts';
import { HoldfastError } from '../../../../../src/base/errors/errors.ts';

let begun: string[];
let busy: boolean;
let listener: RunListener;
let turns: BackupsInTurn;

beforeEach(() => {
  begun = [];
  busy = false;
  const backup = (set: string): Promise<BegunRun> => {
    if (set === 'gone') return Promise.reject(new HoldfastError('set_unknown', { set, known: [] }));
    if (busy) return Promise.reject(new HoldfastError('home_busy', { pid: 1 }));
    begun.push(set);
    return Promise.resolve({ id: begun.length, ended: new Promise<never>(() => undefined) });
  };
  turns = new BackupsInTurn({ backup }, { subscribe: (one) => (listener = one) });
});

async function end(outcome: EndedRun['outcome'] = 'succeeded', kind: EndedRun['kind'] = 'backup'): Promise<void> {
  listener.ended!({ id: 1, kind, set: 'a', trigger: 'person', outcome, startedAt: 0, endedAt: 1, warnings: 0 });
  await setImmediate();
}

test('each begins when the one before has ended, whatever its outcome', async () => {
  await turns.begin(['a', 'b', 'c']);
  expect(begun).toEqual(['a']);
  await end('failed');
  expect(begun).toEqual(['a', 'b']);
  await end();
  await end();
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('a run that comes in between is waited for', async () => {
  await turns.begin(['a', 'b']);
  busy = true;
  await end();
  expect(begun).toEqual(['a']);
  busy = false;
  await end('succeeded', 'restore');
  expect(begun).toEqual(['a', 'b']);
});

test('a set that was removed meanwhile is passed over', async () => {
  await turns.begin(['a', 'gone', 'c']);
  await end();
  expect(begun).toEqual(['a', 'c']);
});

test.each(['cancelled', 'interrupted'] as const)('none follows one that was %s', async (outcome) => {
  await turns.begin(['a', 'b']);
  await end(outcome);
  await end();
  expect(begun).toEqual(['a']);
});

test('none waits if the first cannot begin', async () => {
  busy = true;
  await expect(turns.begin(['a', 'b'])).rejects.toThrow('home_busy');
  busy = false;
  await end();
  expect(begun).toEqual([]);
});
