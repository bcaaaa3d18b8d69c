import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoTime, isSameTime, reachingTime } from '../../../../src/remote/client/iso-time.ts';

describe('a time', () => {
  test.each([
    ['2026-11-28T12:00:00Z', '2026-11-28T12:00:00Z'],
    ['2026-11-28T12:00:00.123456789Z', '2026-11-28T12:00:00.123456789Z'],
    ['2026-11-28T12:00Z', '2026-11-28T12:00:00Z'],
    ['2026-11-28t12:00:00z', '2026-11-28T12:00:00Z'],
    ['2026-11-28 12:00:00+00', '2026-11-28T12:00:00Z'],
    ['2026-11-28T14:30:00,5+02:30', '2026-11-28T12:00:00.5Z'],
    ['2026-11-28T09:30:00.25-0230', '2026-11-28T12:00:00.25Z'],
    ['20261128T120000Z', '2026-11-28T12:00:00Z'],
    ['20261128T120000.5Z', '2026-11-28T12:00:00.5Z'],
    ['2026-11-28T12:00:00', '2026-11-28T12:00:00Z'],
    ['2026-11-27T24:00:00Z', '2026-11-28T00:00:00Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ])('%s is %s', (text, expected) => expect(isoTime(text)).toBe(expected));

  test.each([
    '',
    'yesterday',
    '2026-11-28',
    '2026-1-28T12:00:00Z',
    '2026-1128T12:00:00Z',
    '2026-11-28T1200:00Z',
    '2026-02-30T12:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-11-28T25:00:00Z',
    '2026-11-28T12:00:61Z',
    '2026-11-28T12:00:00+25:00',
    `2026-11-28T12:00:00.${'1'.repeat(31)}Z`,
    '2026-11-28T12:00:00Z ',
  ])('is not %j', (text) => expect(isoTime(text)).toBeUndefined());

  test('of Date is read as it is', () => {
    const years = { min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(years), (date) => {
        expect(isoTime(date.toISOString())).toBe(date.toISOString());
        expect(isSameTime(date.toISOString(), date.getTime())).toBe(true);
        expect(reachingTime(date.toISOString())).toBe(date.toISOString());
      }),
    );
  });
});

test('a time in whole seconds is that of every millisecond it may have been rounded from', () => {
  const at = Date.parse('2026-11-28T12:00:00.000Z');
  expect([-1000, -999, 0, 999, 1000].map((more) => isSameTime('2026-11-28T12:00:00Z', at + more))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
  expect(isSameTime('2026-11-28T12:00:00.0Z', at + 99)).toBe(true);
  expect(isSameTime('2026-11-28T12:00:00.0Z', at + 100)).toBe(false);
  expect(isSameTime('2026-11-28T12:00:00.000Z', at + 1)).toBe(false);
  expect(isSameTime('2026-11-28T12:00:00.0009Z', at)).toBe(true);
});

test.each([
  ['2026-11-28T12:00:00Z', '2026-11-28T12:00:00.999Z'],
  ['2026-11-28T12:00:00.5Z', '2026-11-28T12:00:00.599Z'],
  ['2026-11-28T12:00:00.123Z', '2026-11-28T12:00:00.123Z'],
  ['2026-11-28T12:00:00.123000Z', '2026-11-28T12:00:00.123Z'],
  ['2026-11-28T12:00:00.123001Z', '2026-11-28T12:00:00.124Z'],
  ['2026-11-28T12:00:59.999999Z', '2026-11-28T12:01:00.000Z'],
])('a restore point of %s is reached by %s', (text, expected) => expect(reachingTime(text)).toBe(expected));
