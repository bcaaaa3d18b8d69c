import { posix, win32 } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isInside } from '../../../src/engine/filesystem/real-path.ts';

describe('isInside', () => {
  test.each([
    ['/a', '/a', true],
    ['/a/b', '/a', true],
    ['/a/b', '/a/', true],
    ['/ab', '/a', false],
    ['/', '/a', false],
    ['/', '/', true],
    ['/a', '/', true],
    ['/..a', '/', true],
    ['/a/..b', '/a', true],
    ['/a/../b', '/a', false],
  ])('compares POSIX paths: %s in %s is %s', (path, folder, expected) => {
    expect(isInside(path, folder, posix)).toBe(expected);
  });

  test.each([
    ['C:\\a', 'C:\\', true],
    ['C:\\', 'C:\\', true],
    ['C:\\', 'C:\\a', false],
    ['D:\\a', 'C:\\', false],
    ['D:\\', 'C:\\', false],
    ['C:\\ab', 'C:\\a', false],
    ['c:\\A\\b', 'C:\\a', true],
    ['C:\\a\\..b', 'C:\\a', true],
    ['\\\\server\\share\\a', '\\\\server\\share\\', true],
    ['\\\\server\\share\\a', 'C:\\', false],
  ])('compares Windows paths: %s in %s is %s', (path, folder, expected) => {
    expect(isInside(path, folder, win32)).toBe(expected);
  });
});
