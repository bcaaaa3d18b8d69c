import { posix, win32, type PlatformPath } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBelow, isInside, nameOf, relativeTo } from '../../../src/model/local-path.ts';

type Relation = 'same' | 'below' | 'outside';

const CASES: readonly (readonly [path: string, folder: string, relation: Relation])[] = [
  ['/a', '/a', 'same'],
  ['/a/', '/a', 'same'],
  ['/a', '/a/', 'same'],
  ['/a/b', '/a', 'below'],
  ['/a/b', '/a/', 'below'],
  ['/a//b', '/a', 'below'],
  ['/ab', '/a', 'outside'],
  ['/', '/', 'same'],
  ['/a', '/', 'below'],
  ['/', '/a', 'outside'],
  // A name may begin with dots.
  ['/..a', '/', 'below'],
  ['/a/..b', '/a', 'below'],
  ['/a/...', '/a', 'below'],
  ['/a/../b', '/a', 'outside'],
  ['/a/b/..', '/a', 'same'],
  ['/a/./b', '/a', 'below'],
  ['/../a', '/a', 'same'],
  // `\` is a letter outside of Windows, and so is the case of letters.
  ['/a\\b/c', '/a\\b', 'below'],
  ['/a\\b', '/a', 'outside'],
  ['/A/b', '/a', 'outside'],
  ['C:\\', 'C:\\', 'same'],
  ['C:', 'C:\\', 'same'],
  ['C:\\a', 'C:\\', 'below'],
  ['C:\\', 'C:\\a', 'outside'],
  ['C:\\ab', 'C:\\a', 'outside'],
  ['C:\\a\\', 'C:\\a', 'same'],
  ['C:/a/b', 'C:\\a', 'below'],
  ['C:\\a\\..b', 'C:\\a', 'below'],
  ['C:\\a\\..\\b', 'C:\\a', 'outside'],
  ['C:\\..\\a', 'C:\\', 'below'],
  ['D:\\a', 'C:\\', 'outside'],
  ['c:\\A\\b', 'C:\\a', 'below'],
  ['C:\\B\u00dcRO', 'C:\\B\u00fcro', 'same'],
  ['\\\\server\\share', '\\\\SERVER\\Share\\', 'same'],
  ['\\\\server\\share\\a', '\\\\server\\share\\', 'below'],
  ['\\\\server\\share\\..\\a', '\\\\server\\share', 'below'],
  ['\\\\server\\other\\a', '\\\\server\\share', 'outside'],
  ['\\\\server\\share\\a', 'C:\\', 'outside'],
  ['\\\\?\\C:\\a', '\\\\?\\C:\\', 'below'],
  ['/a', 'C:\\', 'outside'],
  ['C:\\a', '/', 'outside'],
];

describe('a path of this computer', () => {
  test.each(CASES)('%s and the folder %s: %s', (path, folder, relation) => {
    expect([isInside(path, folder), isBelow(path, folder)]).toEqual([relation !== 'outside', relation === 'below']);
  });

  test.each([
    ['POSIX', posix, '/', ['a', 'A', '..', '.', '..a', 'a\\b', '']],
    ['Windows', win32, 'C:\\', ['a', 'A', '..', '.', '..a', 'b', '']],
  ] as const)('is in the same folders as Node says by the rules of %s', (_system, rules, root, names) => {
    const path = fc.array(fc.constantFrom(...names), { maxLength: 5 }).map((parts) => root + parts.join(rules.sep));
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(isInside(one, other)).toBe(isInsideByNode(one, other, rules));
      }),
    );
  });

  test('relative to a folder has slashes', () => {
    expect(relativeTo('C:\\Users\\anna', 'C:\\')).toBe('Users/anna');
    expect(relativeTo('c:\\users\\Anna', 'C:\\Users\\')).toBe('Anna');
    expect(relativeTo('/srv/data/a\\b', '/srv')).toBe('data/a\\b');
    expect(relativeTo('/srv', '/srv/')).toBe('');
  });

  test('has a last name', () => {
    const paths = ['C:\\', 'C:\\Users\\', '/', '/srv/data'];
    expect(paths.map(nameOf)).toEqual(['C:', 'Users', '/', 'data']);
  });
});

function isInsideByNode(path: string, folder: string, rules: PlatformPath): boolean {
  const way = rules.relative(folder, path);
  return way === '' || (way.split(rules.sep)[0] !== '..' && !rules.isAbsolute(way));
}
