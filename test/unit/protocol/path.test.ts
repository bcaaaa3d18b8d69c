import { describe, expect, test } from 'vitest';
import { isEntryPath, isReservedPath } from '../../../src/protocol/path.ts';

describe('an entry path', () => {
  test.each([
    '/a',
    '/home/anna/a.txt',
    'C:/Users/anna/a.txt',
    '/ ',
    '/a\nb',
    '/a\\b',
    '/...',
    '/é',
    '/e\u0301',
    '/\u{10FFFD}_w',
  ])('may be %j', (path) => {
    expect(isEntryPath(path)).toBe(true);
  });

  test.each([
    '',
    '/',
    'a',
    'a/b',
    './a',
    '/a/',
    '/a//b',
    '/a/./b',
    '/a/../b',
    '/..',
    '/.',
    'C:',
    'C:\\a',
    'CC:/a',
    '/a\0b',
    '//server/a',
  ])('may not be %j', (path) => {
    expect(isEntryPath(path)).toBe(false);
  });

  test('is reserved below /.holdfast only', () => {
    expect(['/.holdfast', '/.holdfast/tree'].every(isReservedPath)).toBe(true);
    expect(['/.holdfastish', '/home/.holdfast/tree', '/.holdfast2/x'].some(isReservedPath)).toBe(false);
  });
});
