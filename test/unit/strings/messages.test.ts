import { describe, expect, test } from 'vitest';
import { de as german } from '../../../src/strings/compiled/de.ts';
import { en } from '../../../src/strings/compiled/en.ts';
import { messagesOf } from '../../../src/strings/messages.ts';

const de = german();

test.each([
  [0, '0 files', '0 Dateien'],
  [1, '1 file', '1 Datei'],
  [1_204, '1,204 files', '1.204 Dateien'],
])('%d are counted', (count, english, german) => {
  expect(en.activity.files(count)).toBe(english);
  expect(de.activity.files(count)).toBe(german);
});

test.each([
  [0, 'zero'],
  [1, 'one'],
  [2, 'two'],
  [3, 'few'],
  [11, 'many'],
  [100, 'other'],
])('the Arabic form of %d is “%s”', (count, form) => {
  const forms = { zero: 'zero', one: 'one', two: 'two', few: 'few', many: 'many', other: 'other' };
  expect(messagesOf('ar').plural(count, forms)).toBe(form);
});

test('prefers the form of exactly one number, and counts from an offset', () => {
  const { plural } = messagesOf('en');
  expect(plural(0, { '=0': 'none', one: 'one', other: 'some' })).toBe('none');
  expect(plural(2, { one: 'and one more', other: 'and more' }, 1)).toBe('and one more');
});

describe('inserted texts', () => {
  const isolated = (text: string): string => `\u2068${text}\u2069`;

  test.each([
    ['en', 'Photos', 'Photos'],
    ['en', '写真', '写真'],
    ['en', 'صور', isolated('صور')],
    ['de', 'תמונות', isolated('תמונות')],
    // An override ends with the text.
    ['en', 'a\u202Egnp.exe', isolated('a\u202Egnp.exe')],
    ['ar', 'Photos', isolated('Photos')],
    ['ar', '/home/anna', isolated('/home/anna')],
    ['ar', 'صور العائلة', 'صور العائلة'],
  ])('in %s, “%s” becomes “%s”', (language, text, shown) => {
    expect(messagesOf(language).text(text)).toBe(shown);
  });

  test.each([
    ['en', '1,204'],
    ['de', '1.204'],
    ['ja', '1,204'],
  ])('a number in %s is %s', (language, shown) => {
    expect(messagesOf(language).text(1_204)).toBe(shown);
  });
});
