import { expect, test } from 'vitest';
import { nextRunAt, type WatchState } from '../../../../../src/archive/scan/watch/next-run.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const state: WatchState = {
  timing: { quiet: MINUTE, interval: 5 * MINUTE },
  startedAt: 0,
  failed: false,
  changes: undefined,
  partial: false,
};

const changed = (firstAt: number, lastAt: number) => ({
  changes: { firstAt: firstAt * MINUTE, lastAt: lastAt * MINUTE },
});

test.each<[string, Partial<WatchState>, number]>([
  ['once a day when nothing changes', {}, DAY],
  ['when changes have come to rest', changed(20, 21), 22 * MINUTE],
  ['not too soon after the last run', changed(1, 1), 5 * MINUTE],
  ['although they do not come to rest', changed(20, 49.5), 50 * MINUTE],
  ['no later than in a day, whatever the pace', { ...changed(20, 20), timing: { quiet: 2 * DAY, interval: 0 } }, DAY],
  ['a long quiet time is kept', { ...changed(20, 50), timing: { quiet: 45 * MINUTE, interval: 0 } }, 65 * MINUTE],
  ['soon when changes may not be reported', { partial: true }, 15 * MINUTE],
  ['sooner where one was heard nevertheless', { partial: true, ...changed(6, 6) }, 7 * MINUTE],
  ['again after a failure', { failed: true }, 15 * MINUTE],
  ['again after a failure, at the pace', { failed: true, timing: { quiet: 1, interval: 60 * MINUTE } }, 60 * MINUTE],
])('%s', (_, given, expected) => {
  expect(nextRunAt({ ...state, ...given })).toBe(expected);
});

test('is due at once before the first run', () => {
  expect(nextRunAt({ ...state, startedAt: undefined })).toBe(0);
});
