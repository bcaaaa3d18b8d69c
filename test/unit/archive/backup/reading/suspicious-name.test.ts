import { expect, test } from 'vitest';
import { isSuspiciousName } from '../../../../../src/archive/backup/reading/suspicious-name.ts';

test.each([
  ['report.docx.locked', true],
  ['photo.JPG.WNCRY', true],
  ['a.lockbit', true],
  ['HOW_TO_DECRYPT.txt', true],
  ['how to restore files.html', true],
  ['_readme.txt', true],
  ['!!!READ_ME!!!.txt', true],
  ['package.lock', false],
  ['Gemfile.lock', false],
  ['package-lock.json', false],
  ['secrets.enc', false],
  ['readme.txt', false],
  ['README.md', false],
  ['play', false],
  ['.hive', true],
  ['decrypt.ts', false],
  ['recovery.log', false],
])('%s: %s', (name, expected) => {
  expect(isSuspiciousName(name)).toBe(expected);
});
