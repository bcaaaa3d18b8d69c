import { describe, expect, test } from 'vitest';
import { countText, durationText, printable, sizeText } from '../../src/cli/text.ts';

describe('figures for people', () => {
  test.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1023 bytes'],
    [1024, '1.00 KiB'],
    [10_239, '10.0 KiB'],
    [102_400, '100 KiB'],
    [1_048_575, '1.00 MiB'],
    [3_000_000, '2.86 MiB'],
    [20 * 2 ** 30, '20.0 GiB'],
    [2 ** 60, '1024 PiB'],
  ])('%i bytes', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  test.each([
    [0, '0.0 s'],
    [0.44, '0.4 s'],
    [9.96, '10 s'],
    [59.4, '59 s'],
    [60, '1 min 0 s'],
    [200, '3 min 20 s'],
    [3600, '1 h 0 min'],
    [7500, '2 h 5 min'],
  ])('%d seconds', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  test.each([
    [0, '0 files'],
    [1, '1 file'],
    [1_234_567, '1,234,567 files'],
  ])('%i files', (count, text) => {
    expect(countText(count, 'file')).toBe(text);
  });
});

describe('names on a terminal', () => {
  test.each([
    ['plain ünïcode 名前', 'plain ünïcode 名前'],
    ['two\nlines\tand\rmore', 'two\\nlines\\tand\\rmore'],
    ['\u001b[31mred', '\\u{1b}[31mred'],
    ['right\u202eleft', 'right\\u{202e}left'],
    ['\u009b2J', '\\u{9b}2J'],
  ])('%j', (name, shown) => {
    expect(printable(name)).toBe(shown);
  });
});
