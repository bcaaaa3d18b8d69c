import { describe, expect, test } from 'vitest';
import { countText, durationText, printable, sizeText, shellWord } from '../../../src/cli/text.ts';

describe('figures for people', () => {
  test.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1.00 kB'],
    [9_999, '10.0 kB'],
    [102_400, '102 kB'],
    [999_999, '1.00 MB'],
    [3_000_000, '3.00 MB'],
    [20_000_000_000, '20.0 GB'],
    [1e18, '1000 PB'],
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

test.each([
  ['documents', 'documents'],
  ['My files', "'My files'"],
  ["Anna's", String.raw`'Anna'\''s'`],
  ['$HOME;x', "'$HOME;x'"],
])('writes %s as a shell takes it', (name, word) => {
  expect(shellWord(name)).toBe(word);
});
