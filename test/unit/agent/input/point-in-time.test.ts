import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pointInTime } from '../../../../src/agent/input/point-in-time.ts';
import { isHoldfastError } from '../../../../src/base/errors/errors.ts';

// A Saturday, in a time zone whose offset is not a whole hour, so that a confused zone fails a test.
const zoneBefore = process.env['TZ'];
const now = Date.parse('2026-11-21T10:30:00+05:45');
beforeAll(() => {
  process.env['TZ'] = 'Asia/Kathmandu';
});
afterAll(() => {
  if (zoneBefore === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zoneBefore;
});

const understood: readonly (readonly [text: string, moment: string])[] = [
  ['2026-11-20T14:05:33.123Z', '2026-11-20T14:05:33.123Z'],
  ['2026-11-20t14:05:33z', '2026-11-20T14:05:33.000Z'],
  ['2026-11-20T14:05:33.1234567Z', '2026-11-20T14:05:33.124Z'],
  ['2026-11-20T14:05:33.5Z', '2026-11-20T14:05:33.500Z'],
  ['2026-11-20T14:05Z', '2026-11-20T14:05:00.000Z'],
  ['2026-11-20T14:05:33+01:00', '2026-11-20T13:05:33.000Z'],
  ['2026-11-20T14:05:33+0100', '2026-11-20T13:05:33.000Z'],
  ['2026-11-20T14:05:33', '2026-11-20T14:05:33.000+05:45'],
  ['2026-11-20 14:05', '2026-11-20T14:05:00.000+05:45'],
  ['2026-11-20', '2026-11-20T23:59:59.999+05:45'],
  ['2 hours ago', '2026-11-21T08:30:00+05:45'],
  ['  2 Hours Ago ', '2026-11-21T08:30:00+05:45'],
  ['10 minutes ago', '2026-11-21T10:20:00+05:45'],
  ['3 days ago', '2026-11-18T10:30:00+05:45'],
  ['yesterday 14:00', '2026-11-20T14:00:00+05:45'],
  ['yesterday at 2pm', '2026-11-20T14:00:00+05:45'],
  ['yesterday', '2026-11-20T23:59:59.999+05:45'],
  ['yesterday evening', '2026-11-20T20:00:00+05:45'],
  ['today', '2026-11-21T23:59:59.999+05:45'],
  ['now', '2026-11-21T10:30:00+05:45'],
  ['friday', '2026-11-20T23:59:59.999+05:45'],
  ['sunday', '2026-11-15T23:59:59.999+05:45'],
  ['last monday', '2026-11-16T23:59:59.999+05:45'],
  ['09:15', '2026-11-21T09:15:00+05:45'],
  ['14:00', '2026-11-20T14:00:00+05:45'],
  ['20 Nov 2026 14:05', '2026-11-20T14:05:00+05:45'],
];

const notUnderstood = [
  '',
  'banana',
  '2 hours ago banana',
  'before 2 hours ago',
  'yesterday to today',
  '5',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '2026-11-20T25:00:00Z',
  '2026-11-20T14:05:33 banana',
  '2026-11-20T14:05:33+1',
  'latest please',
];

/** If accepted, each would silently select the newest restore point. */
const toCome = [
  'tomorrow',
  'tomorrow 14:00',
  'in 2 hours',
  '2 hours from now',
  'next friday',
  'this evening',
  '25 Dec 2026',
  '2026-11-22',
  '2027-01-01',
  '2026-11-21 10:35',
  '2026-11-21T23:00',
  '2027-01-01T00:00:00Z',
];

describe('a point in time', () => {
  test.each(understood)('%s', async (text, moment) => {
    const time = await pointInTime(text, now);
    expect(new Date(time as number).toISOString()).toBe(new Date(moment).toISOString());
  });

  test('accepts the newest restore point', async () => {
    expect(await pointInTime('latest', now)).toBe('latest');
    expect(await pointInTime('Latest ', now)).toBe('latest');
  });

  test.each(notUnderstood)('refuses %j', async (text) => {
    const error: unknown = await pointInTime(text, now).catch((reason: unknown) => reason);
    expect(isHoldfastError(error, 'time_invalid')).toBe(true);
    expect(error).toMatchObject({ details: { time: text } });
  });

  test.each(toCome)('refuses %j, which is in the future', async (text) => {
    const error: unknown = await pointInTime(text, now).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'time_invalid', details: { time: text, problem: 'future' } });
  });

  test('is at the end of its day across a change to daylight saving', async () => {
    process.env['TZ'] = 'Europe/Berlin';
    try {
      const monday = Date.parse('2026-03-30T12:00:00+02:00');
      expect(await pointInTime('wednesday', monday)).toBe(Date.parse('2026-03-25T23:59:59.999+01:00'));
      const saturday = Date.parse('2026-10-24T12:00:00+02:00');
      expect(await pointInTime('sunday', saturday)).toBe(Date.parse('2026-10-18T23:59:59.999+02:00'));
    } finally {
      process.env['TZ'] = 'Asia/Kathmandu';
    }
  });

  test('may be that of a service whose clock is ahead', async () => {
    const ahead = '2026-11-21T06:45:00Z';
    expect(await pointInTime(ahead, now)).toBe(Date.parse(ahead));
  });

  test('parses every timestamp that services write', async () => {
    const moments = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    await fc.assert(
      fc.asyncProperty(moments, async (moment) => {
        expect(await pointInTime(moment.toISOString(), now)).toBe(moment.getTime());
      }),
    );
  });
});
