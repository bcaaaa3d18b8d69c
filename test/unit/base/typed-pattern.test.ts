import ignore from 'ignore';
import { describe, expect, test } from 'vitest';
import { typedPattern } from '../../../src/base/typed-pattern.ts';

describe('a pattern typed on Windows', () => {
  test.each([
    [String.raw`AppData\Local\Temp`, 'AppData/Local/Temp'],
    [String.raw`build\*.tmp`, 'build/*.tmp'],
    [String.raw`\Downloads` + '\\', '/Downloads/'],
    [String.raw`!projects\keep`, '!projects/keep'],
    [String.raw`a\\b`, 'a/b'],
    [String.raw`**\node_modules`, '**/node_modules'],
    ['/build/*.tmp', '/build/*.tmp'],
  ])('%s has %s', (typed, pattern) => {
    expect(typedPattern(typed, 'win32')).toBe(pattern);
  });

  test.each([String.raw`/old \[1\]/`, String.raw`\!important`, String.raw`\#1`, String.raw`!\!important`, 'a\\ '])(
    '%s has an escape that a name of Windows needs',
    (typed) => {
      expect(typedPattern(typed, 'win32')).toBe(typed);
    },
  );

  test('excludes what it names', () => {
    const isExcluded = (typed: string): boolean => ignore().add(typedPattern(typed, 'win32')).ignores('build/out.tmp');
    expect(isExcluded(String.raw`build\*.tmp`)).toBe(true);
    expect(isExcluded(String.raw`\build` + '\\')).toBe(true);
    expect(isExcluded(String.raw`build\*.log`)).toBe(false);
  });
});

test('a pattern typed elsewhere stays as it is', () => {
  const typed = String.raw`build\*.tmp`;
  expect(typedPattern(typed, 'linux')).toBe(typed);
  expect(typedPattern(typed, 'darwin')).toBe(typed);
});
