import { describe, expect, test } from 'vitest';
import { lineLimits } from '../../../../../src/agent/host/runs/line-limits.ts';
import { rateOf } from '../../../../../src/remote/http/rate-limited-http.ts';
import type { Limits } from '../../../../../src/model/set.ts';

const at = (hour: number, minute = 0): number => new Date(2026, 10, 21, hour, minute).getTime();

/** Returns bytes per second up and down at a time of day. */
function limitsAt(
  now: number,
  limits: Limits | undefined,
  everywhere: { uploadKiB?: number; downloadKiB?: number } = {},
) {
  const { limitUpload, limitDownload } = lineLimits(limits, everywhere, () => now);
  return [rateOf(limitUpload)(), rateOf(limitDownload)()];
}

describe('transfer limits', () => {
  test('are none by default', () => {
    expect(lineLimits(undefined, {}, () => at(12))).toEqual({});
    expect(lineLimits({ priority: 'low' }, {}, () => at(12))).toEqual({});
  });

  test('of a set take precedence over those of all sets, for each direction', () => {
    expect(limitsAt(at(12), { uploadKiB: 10 }, { uploadKiB: 20, downloadKiB: 30 })).toEqual([10 * 1024, 30 * 1024]);
    expect(limitsAt(at(12), undefined, { uploadKiB: 20 })).toEqual([20 * 1024, undefined]);
  });

  const office = { uploadKiB: 10, hours: { from: 8 * 60, to: 18 * 60 } };
  const night = { uploadKiB: 10, hours: { from: 22 * 60, to: 6 * 60 } };

  test.each([
    ['before the hours', at(7, 59), office, undefined],
    ['at the first minute', at(8), office, 10 * 1024],
    ['at the last minute', at(17, 59), office, 10 * 1024],
    ['at the end', at(18), office, undefined],
    ['over midnight, late', at(23), night, 10 * 1024],
    ['over midnight, early', at(5, 59), night, 10 * 1024],
    ['over midnight, by day', at(12), night, undefined],
  ])('apply within their hours: %s', (_name, now, limits, upload) => {
    expect(limitsAt(now, limits)[0]).toBe(upload);
  });

  test('fall back to those of all sets outside their hours', () => {
    expect(limitsAt(at(20), office, { uploadKiB: 99 })[0]).toBe(99 * 1024);
  });

  test('change during a run', () => {
    let now = at(7, 59);
    const { limitUpload } = lineLimits(office, {}, () => now);
    const rate = rateOf(limitUpload);
    expect(rate()).toBeUndefined();
    now = at(8);
    expect(rate()).toBe(10 * 1024);
  });
});
