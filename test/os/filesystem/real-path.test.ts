import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isInside, spelledAsOnDisk } from '../../../src/os/filesystem/real-path.ts';

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

describe('the spelling of the disk', () => {
  test('is that of each name that exists, where any case finds it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-spelling-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const other = process.platform === 'win32' ? 'both' : 'Both';
    for (const name of ['Documents', 'B\u00fcro', 'both', other])
      mkdirSync(join(folder, name, 'Inner'), { recursive: true });
    const at = (...names: string[]): string => join(folder, ...names);
    for (const [given, spelled] of [
      [at('DOCUMENTS', 'inner'), at('Documents', 'Inner')],
      [at('documents', 'Gone', 'Too'), at('Documents', 'Gone', 'Too')],
      [at('b\u00dcro'), at('B\u00fcro')],
      [at('both'), at('both')],
      [at(other), at(other)],
    ] as const) {
      expect(spelledAsOnDisk(given, 'darwin')).toEqual(spelled);
      expect(spelledAsOnDisk(given, 'linux')).toBe(given);
    }
  });

  test.skipIf(process.platform !== 'win32')('has the letter of a drive in upper case', () => {
    expect(spelledAsOnDisk('c:\\')).toBe('C:\\');
    expect(spelledAsOnDisk('c:\\WINDOWS\\SYSTEM32')).toBe('C:\\windows\\system32');
  });
});
