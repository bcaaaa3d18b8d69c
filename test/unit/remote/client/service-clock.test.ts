import { expect, test } from 'vitest';
import { ServiceClock } from '../../../../src/remote/client/service-clock.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

test.each([
  [['Sun, 01 Mar 2026 12:00:29 GMT'], 0, [0]],
  [['Sun, 01 Mar 2026 11:59:31 GMT'], 0, [0]],
  [['Sun, 01 Mar 2026 12:00:31 GMT'], 31_000, [31_000]],
  [['Sun, 01 Mar 2026 11:00:00 GMT'], -3_600_000, [-3_600_000]],
  [['Sun, 01 Mar 2026 12:05:00 GMT', 'Sun, 01 Mar 2026 12:05:02 GMT'], 300_000, [300_000]],
  [['Sun, 01 Mar 2026 12:05:00 GMT', 'Sun, 01 Mar 2026 12:00:01 GMT'], 0, [300_000, 0]],
  [[undefined], 0, []],
  [['Sun, 01 Mar 2026 12:05:00 GMT', undefined, 'nonsense'], 300_000, [300_000]],
])('after Date %o it is %i ms ahead, and reports the differences %o', (dates, ahead, reported) => {
  const skews: number[] = [];
  const clock = new ServiceClock({ now: () => now }, (skew) => skews.push(skew));
  for (const date of dates) clock.observe(date);
  expect(clock.now() - now).toBe(ahead);
  expect(clock.aheadMs + ahead).toBe(0);
  expect(skews).toEqual(reported);
});

test('prefers the time that the service reports to a Date header', () => {
  const clock = new ServiceClock({ now: () => now });
  clock.observe('Sun, 01 Mar 2026 12:00:00 GMT');
  clock.trust('2026-03-01T14:00:00.250Z');
  clock.observe('Sun, 01 Mar 2026 12:00:00 GMT');
  expect(clock.aheadMs).toBe(-7_200_250);
});
