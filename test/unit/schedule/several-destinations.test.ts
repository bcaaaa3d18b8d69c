import { describe, expect, test } from 'vitest';
import type { EndedRun } from '../../../src/schedule/ended-run.ts';
import type { Decision } from '../../../src/model/schedule/decision.ts';
import type { Outcome } from '../../../src/model/run.ts';
import { nextDue } from '../../../src/schedule/due.ts';
import type { Memory } from '../../../src/schedule/memory.ts';
import { afterPreemption, remembered } from '../../../src/schedule/remember.ts';
import { joins } from '../../../src/schedule/joins-run.ts';
import { mayPreempt, type Laggard } from '../../../src/schedule/preemption.ts';
import type { Schedule } from '../../../src/model/schedule/schedule.ts';
import { mostUrgent } from '../../../src/schedule/urgency.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-11-02T18:00Z');

describe('a backup may be preempted', () => {
  const laggard: Laggard = { destination: 'cloud', readAt: NOW, hasSent: true, isWaiting: false, fruitless: 0 };

  test.each<[string, Partial<Laggard>, turn: boolean, after: number, expected: boolean]>([
    ['never while the set is read', { readAt: undefined, isWaiting: true }, false, 100 * HOUR, false],
    ['not at once, since it has scanned the set', {}, false, 5 * MINUTE - 1, false],
    ['when it has sent chunks for some time', {}, false, 5 * MINUTE, true],
    ['not as early by one that was preempted, too', {}, true, HOUR - 1, false],
    ['by one that was preempted, an hour later', {}, true, HOUR, true],
    ['not before it has sent anything', { hasSent: false }, false, HOUR - 1, false],
    ['after an hour in which it has sent nothing', { hasSent: false }, false, HOUR, true],
    ['later if that happened before', { hasSent: false, fruitless: 2 }, false, 4 * HOUR - 1, false],
    ['later, but some time', { hasSent: false, fruitless: 2 }, false, 4 * HOUR, true],
    ['after ten days at the latest', { hasSent: false, fruitless: 1000 }, false, 256 * HOUR, true],
    ['at once while the destination cannot be reached', { hasSent: false, isWaiting: true }, false, 0, true],
    ['an hour later then, too, by one that was preempted', { isWaiting: true, fruitless: 9 }, true, HOUR, true],
    ['not earlier by one that was preempted', { isWaiting: true }, true, HOUR - 1, false],
  ])('%s', (_, facts, isTurn, after, expected) => {
    expect(mayPreempt([{ ...laggard, ...facts }], isTurn, NOW + after)).toBe(expected);
  });

  test('when each of its destinations allows it', () => {
    const other = { ...laggard, destination: 'other', hasSent: false };
    expect(mayPreempt([laggard, other], false, NOW + 10 * MINUTE)).toBe(false);
    expect(mayPreempt([other, laggard], false, NOW + 10 * MINUTE)).toBe(false);
    expect(mayPreempt([laggard, { ...other, hasSent: true }], false, NOW + 10 * MINUTE)).toBe(true);
  });

  test('not when it has ended everywhere', () => {
    expect(mayPreempt([], false, NOW + HOUR)).toBe(false);
  });
});

describe('a backup joins the run of another destination', () => {
  const every = (minutes: number): Schedule => ({ kind: 'every', minutes });
  const daily: Schedule = { kind: 'daily', at: 1110 };

  test.each<[string, Schedule, inMinutes: number, starting: readonly Schedule[], expected: boolean]>([
    ['with the same interval, once half of it is over', every(60), 30, [daily, every(60)], true],
    ['with the same interval, not earlier', every(60), 31, [every(60)], false],
    ['with another interval, shortly before it is due', every(60), 5, [every(5)], true],
    ['with another interval, not earlier', every(60), 6, [every(5)], false],
    ['with a short interval, after three quarters', every(8), 2, [daily], true],
    ['with a short interval, not earlier', every(8), 3, [daily], false],
    ['not if that run serves no moment', every(60), 1, [], false],
    ['not if it has moments of its own', daily, 1, [every(60)], false],
  ])('%s', (_, schedule, minutes, starting, expected) => {
    expect(joins({ kind: 'next', at: NOW + minutes * MINUTE }, schedule, starting, NOW)).toBe(expected);
  });

  test('not while it waits for its retry', () => {
    const reason = { kind: 'retry', at: NOW + MINUTE, failure: { code: 'internal', details: {} } } as const;
    expect(joins({ kind: 'waiting', since: NOW, reason }, every(60), [every(60)], NOW)).toBe(false);
  });
});

describe('the decision that stands for a set', () => {
  const failure = { code: 'internal', details: {} } as const;
  /** From the most urgent on. */
  const ordered: readonly Decision[] = [
    { kind: 'running', since: NOW - 2, trigger: 'schedule' },
    { kind: 'running', since: NOW - 1, trigger: 'schedule' },
    { kind: 'waiting', since: NOW - 2, reason: { kind: 'battery' } },
    { kind: 'waiting', since: NOW - 1, reason: { kind: 'other-run', set: 'pictures' } },
    { kind: 'next', at: NOW + 1 },
    { kind: 'quiet', until: NOW + 2 },
    { kind: 'waiting', since: NOW - 9, reason: { kind: 'retry', at: NOW + 3, failure } },
    { kind: 'next', at: NOW + 4 },
    { kind: 'watching', isPartial: false },
    { kind: 'waiting', since: NOW - 9, reason: { kind: 'destination', location: '/media/disk' } },
    { kind: 'manual' },
  ];

  test('is the most urgent of its destinations', () => {
    for (const [index, first] of ordered.entries()) {
      for (const second of ordered.slice(index)) {
        expect(mostUrgent([first, second])).toEqual(first);
        expect(mostUrgent([second, first])).toEqual(first);
      }
    }
  });

  test('is manual without any', () => {
    expect(mostUrgent([])).toEqual({ kind: 'manual' });
  });
});

describe('a preempted backup', () => {
  const schedule: Schedule = { kind: 'daily', at: 1110 };
  const memory: Memory = { schedule: JSON.stringify(schedule), servedThrough: NOW - HOUR, seenRun: NOW - HOUR };
  const preempted = afterPreemption(memory, NOW, true);
  const run = (startedAt: number, outcome: Outcome): EndedRun => ({ startedAt, endedAt: startedAt + HOUR, outcome });

  test('is due at once, and its interruption is no failure', () => {
    const lastRun = run(NOW - MINUTE, 'interrupted');
    const after = remembered(preempted, { schedule, now: NOW, lastRun });
    expect(after).toEqual({ ...preempted, seenRun: NOW - MINUTE, ownRun: undefined });
    expect(nextDue(after, { schedule })).toEqual({ at: NOW, cause: 'resume' });
    expect(nextDue(after, { schedule: { kind: 'manual' } })).toEqual({ at: NOW, cause: 'resume' });
  });

  test('has failed if the next run is interrupted otherwise', () => {
    const after = remembered(preempted, { schedule, now: NOW + 2 * HOUR, lastRun: run(NOW + 1, 'interrupted') });
    expect(after).toMatchObject({ preempted: undefined, trouble: { count: 1, isInterrupted: true } });
  });

  test.each(['succeeded', 'failed', 'cancelled'] as const)('is no longer one when its run has %s', (outcome) => {
    const after = remembered(preempted, { schedule, now: NOW + HOUR, lastRun: run(NOW - MINUTE, outcome) });
    expect(after.preempted).toBeUndefined();
  });

  test('counts how often nothing was sent', () => {
    const twice = afterPreemption(afterPreemption(memory, NOW, false), NOW + 1, false);
    expect(twice.preempted).toEqual({ at: NOW + 1, fruitless: 2 });
    expect(afterPreemption(twice, NOW + 2, true).preempted).toEqual({ at: NOW + 2, fruitless: 0 });
  });

  test('is not due later when the clock is set back', () => {
    expect(remembered(preempted, { schedule, now: NOW - DAY }).preempted?.at).toBe(NOW - DAY);
  });
});
