import { describe, expect, test } from 'vitest';
import { createFormats } from '../../../src/strings/formats.ts';
import { shortPath } from '../../../src/strings/short-path.ts';

const en = createFormats('en-GB');
const de = createFormats('de-DE');

/** Wednesday, 14:30 local time. */
const NOW = new Date(2026, 10, 18, 14, 30).getTime();
const at = (day: number, hour: number, minute = 0): number => new Date(2026, 10, day, hour, minute).getTime();

describe('times', () => {
  test.each([
    [at(18, 14, 5), 'today 14:05', 'heute 14:05'],
    [at(18, 0, 0), 'today 00:00', 'heute 00:00'],
    [at(17, 23, 59), 'yesterday 23:59', 'gestern 23:59'],
    [at(19, 8), 'tomorrow 08:00', 'morgen 08:00'],
    [at(16, 9, 12), 'Monday 09:12', 'Montag 09:12'],
    [at(24, 9, 12), 'Tuesday 09:12', 'Dienstag 09:12'],
    [at(11, 9, 12), '11 Nov 2026, 09:12', '11.11.2026, 09:12'],
  ])('%d was %s', (time, english, german) => {
    expect([en.when(time, NOW), de.when(time, NOW)]).toEqual([english, german]);
  });

  test.each([
    [at(18, 14, 5), 'today', 'heute'],
    [at(17, 1), 'yesterday', 'gestern'],
    [at(13, 1), 'Friday', 'Freitag'],
    [at(1, 1), '1 November 2026', '1. November 2026'],
  ])('the day of %d is %s', (time, english, german) => {
    expect([en.dayName(time, NOW), de.dayName(time, NOW)]).toEqual([english, german]);
  });

  test('take ISO 8601 and milliseconds alike', () => {
    const iso = new Date(at(18, 11, 30)).toISOString();
    expect(en.ago(iso, NOW)).toBe('3 hours ago');
    expect(en.ago(at(18, 11, 30), NOW)).toBe('3 hours ago');
    expect(en.clock(iso)).toBe('11:30');
  });
});

test.each([
  ['en-GB', 'a, b', 'Size: 3'],
  ['de-DE', 'a, b', 'Size: 3'],
  ['fr-FR', 'a, b', 'Size\u00a0: 3'],
  ['ja-JP', 'a、b', 'Size：3'],
  ['ar-EG', 'a، b', 'Size: 3'],
])('commas and colons in %s', (language, series, labelled) => {
  const formats = createFormats(language);
  expect([formats.series(['a', 'b']), formats.labelled('Size', '3')]).toEqual([series, labelled]);
});

describe('lengths', () => {
  test.each([
    [0, '< 1 sec', '< 1 Sek.'],
    [0.4, '< 1 sec', '< 1 Sek.'],
    [45.4, '45 sec', '45 Sek.'],
    [59.7, '1 min', '1 Min.'],
    [125, '2 min 5 sec', '2 Min. 5 Sek.'],
    [3_600, '1 hr', '1 Std.'],
    [3_790, '1 hr 3 min', '1 Std. 3 Min.'],
    [7_199, '2 hr', '2 Std.'],
    [100_000, '27 hr 47 min', '27 Std. 47 Min.'],
  ])('%d seconds took %s', (seconds, english, german) => {
    expect([plain(createFormats('en-US').duration(seconds)), plain(de.duration(seconds))]).toEqual([english, german]);
  });

  test.each([
    [0, 'less than a minute', 'weniger als eine Minute'],
    [44, 'less than a minute', 'weniger als eine Minute'],
    [50, 'about 1 minute', 'etwa 1 Minute'],
    [125, 'about 2 minutes', 'etwa 2 Minuten'],
    [770, 'about 15 minutes', 'etwa 15 Minuten'],
    [3_590, 'about 1 hour', 'etwa 1 Stunde'],
    [5_400, 'about 1.5 hours', 'etwa 1,5 Stunden'],
    [45_100, 'about 13 hours', 'etwa 13 Stunden'],
    [90_000, 'about 1 day', 'etwa 1 Tag'],
    [180_000, 'about 2 days', 'etwa 2 Tage'],
  ])('%d seconds will take %s', (seconds, english, german) => {
    expect([en.remaining(seconds), de.remaining(seconds)]).toEqual([english, german]);
  });
});

test.each([
  [0, '0\u00a0B/s', '0\u00a0B/s'],
  [11_800_000, '11.8\u00a0MB/s', '11,8\u00a0MB/s'],
])('%d bytes a second are %s', (speed, english, german) => {
  expect([en.speed(speed), de.speed(speed)]).toEqual([english, german]);
});

test.each([
  ['fr-FR', '1,5\u00a0Mo', '1\u202f204', 'environ 3 minutes'],
  ['es-ES', '1,5\u00a0MB', '1204', 'alrededor de 3 minutos'],
  ['ja-JP', '1.5\u00a0MB', '1,204', '約 3 分'],
  ['ar-EG-u-nu-latn', '\u20661.5\u00a0MB\u2069', '1,204', 'حوالي 3 دقائق'],
])('in %s, sizes, numbers and estimates are %s, %s and %s', (region, size, number, estimate) => {
  const formats = createFormats(region);
  expect([formats.bytes(1_500_000), formats.number(1_204), formats.remaining(180)]).toEqual([size, number, estimate]);
});

describe('paths', () => {
  test.each([
    ['/home/anna/a.txt', 40, '/home/anna/a.txt'],
    ['/home/anna/Documents/Thesis/figures/microscope.tiff', 40, '/home/anna/…/figures/microscope.tiff'],
    ['/home/anna/Documents/Thesis/figures/microscope.tiff', 30, '/home/…/microscope.tiff'],
    ['/home/anna/Documents/microscope.tiff', 18, '…/microscope.tiff'],
    ['/home/anna/microscope-of-the-institute.tiff', 16, 'microsco…te.tiff'],
    ['C:\\Users\\Anna\\Documents\\Thesis\\plan.docx', 30, 'C:\\Users\\…\\Thesis\\plan.docx'],
    ['a-name-without-any-folder', 10, 'a-nam…lder'],
  ])('%s fits into %d', (path, most, short) => {
    expect(shortPath(path, most)).toBe(short);
    expect(short.length).toBeLessThanOrEqual(most);
  });
});

/** Replaces narrow and no-break spaces, which differ between versions of Intl. */
function plain(text: string): string {
  return text.replace(/\s/g, ' ');
}
