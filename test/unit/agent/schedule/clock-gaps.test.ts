import { describe, expect, test } from 'vitest';
import { ClockGaps, MAX_WAIT_MS } from '../../../../src/agent/schedule/clock-gaps.ts';

const START = Date.UTC(2026, 10, 2);
const HOUR = 3_600_000;

const OFF = { kind: 'off', from: START - HOUR, to: START } as const;

describe('the gaps of a clock', () => {
  test('are the time off, and each sleep', () => {
    const gaps = new ClockGaps(START, START - HOUR);
    gaps.evaluated(START + MAX_WAIT_MS);
    gaps.evaluated(START + HOUR);
    expect(gaps.gaps).toEqual([OFF, { kind: 'asleep', from: START + MAX_WAIT_MS, to: START + HOUR }]);
  });

  test('contain none of the future after the clock was set back', () => {
    const gaps = new ClockGaps(START, START - HOUR);
    gaps.evaluated(START + 8 * HOUR);
    gaps.evaluated(START + HOUR);
    expect(gaps.gaps).toEqual([OFF]);
    gaps.evaluated(START + HOUR + MAX_WAIT_MS);
    expect(gaps.gaps).toEqual([OFF]);
  });

  test('do not begin in the future when the clock was set back while the program was off', () => {
    expect(new ClockGaps(START, START + HOUR).gaps).toEqual([{ kind: 'off', from: START, to: START }]);
  });
});
