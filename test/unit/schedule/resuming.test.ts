import { describe, expect, test } from 'vitest';
import { nextDue } from '../../../src/schedule/due.ts';
import type { EndedRun } from '../../../src/schedule/ended-run.ts';
import type { Memory } from '../../../src/schedule/memory.ts';
import { remembered } from '../../../src/schedule/remember.ts';
import type { Schedule } from '../../../src/model/schedule/schedule.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-11-02T18:00Z');

/** Returns the seconds between the end of each run and the next try. */
function delays(runs: readonly { readonly takes: number; readonly resumesItself?: boolean }[]): readonly number[] {
  const schedule: Schedule = { kind: 'manual' };
  let memory: Memory | undefined;
  let now = START;
  return runs.map(({ takes, resumesItself = true }) => {
    const lastRun: EndedRun = { startedAt: now, endedAt: now + takes, outcome: 'interrupted', resumesItself };
    now += takes;
    memory = remembered(memory, { schedule, now, lastRun });
    const due = nextDue(memory, { schedule: resumesItself ? schedule : { kind: 'daily', at: 0 } });
    const delay = (due?.at ?? Number.NaN) - now;
    now += delay;
    return delay / SECOND;
  });
}

describe('a run whose process was killed', () => {
  test('resumes at once, and later if that happens again and again', () => {
    const killed = { takes: SECOND };
    expect(delays([killed, killed, killed, killed, killed])).toEqual([0, 20, 60, 300, 900]);
  });

  test('resumes at once again if it got on in between', () => {
    expect(delays([{ takes: SECOND }, { takes: SECOND }, { takes: 10 * MINUTE }])).toEqual([0, 20, 0]);
  });

  test('resumes a moment later if a terminal had started it', () => {
    expect(delays([{ takes: SECOND, resumesItself: false }])).toEqual([20]);
  });
});
