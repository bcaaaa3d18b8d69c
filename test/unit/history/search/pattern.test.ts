import { describe, expect, test } from 'vitest';
import { fold } from '../../../../src/history/search/fold.ts';
import { parsePattern } from '../../../../src/history/search/pattern.ts';

function matches(pattern: string, path: string): boolean {
  const folded = fold(path);
  const slash = folded.lastIndexOf('/');
  const { matchesName, matchesFolder, literals } = parsePattern(pattern);
  const name = folded.slice(slash + 1);
  const isMatch = matchesName(name) && (matchesFolder?.(folded.slice(0, slash)) ?? true);
  // The index looks names up by these, so a match without one would not be found.
  if (isMatch) expect(literals.filter((literal) => !name.includes(literal))).toEqual([]);
  return isMatch;
}

describe('a folded name', () => {
  test.each([
    ['Straße', 'STRASSE'],
    ['Caf\u0065\u0301', 'CAFÉ'],
    ['ﬁle', 'FILE'],
    ['ΣΟΦΟΣ', 'σοφος'],
    ['σοφός', 'ΣΟΦΌΣ'],
    ['ẞ', 'ß'],
  ])('is equal for %s and %s', (one, other) => {
    expect(fold(one)).toBe(fold(other));
  });

  test('keeps accents', () => {
    expect(fold('é')).not.toBe(fold('e'));
  });
});

describe('a pattern', () => {
  test.each([
    ['letter', '/home/anna/My Letters.odt', true],
    ['letter', '/home/letters/other.odt', false],
    ['letters/other', '/home/Letters/other.odt', true],
    ['ters/oth', '/home/Letters/other.odt', true],
    ['ters/the', '/home/Letters/other.odt', false],
    ['letters/', '/home/letters/other.odt', true],
    ['letters/', '/home/letters/2024/other.odt', false],
    ['/home/letters/other.odt', '/home/letters/other.odt', true],
    ['*.docx', '/a/b/Bill.DOCX', true],
    ['*.docx', '/a/b/Bill.docx.bak', false],
    ['b?ll*', '/a/bill.docx', true],
    ['b?ll*', '/a/blll/c', false],
    ['[a-c]ill', '/a/bill', true],
    ['[!a-c]ill', '/a/bill', false],
    ['[^x]ill', '/a/bill', true],
    ['letters/*.odt', '/home/letters/other.odt', true],
    ['letters/*.odt', '/home/my letters/other.odt', false],
    ['letters/*.odt', '/home/letters/2024/other.odt', false],
    ['letters/**/*.odt', '/home/letters/2024/other.odt', true],
    ['letters/**/*.odt', '/home/letters/other.odt', true],
    ['letters/**', '/home/letters/2024/other.odt', true],
    ['/home/*/x*', '/home/anna/xyz', true],
    ['/home/*/x*', '/old/home/anna/xyz', false],
    ['C:/Users/*', 'C:/Users/anna', true],
    ['**', '/a', true],
    ['a\\*b', '/x/a*b', true],
    ['a\\*b', '/x/a-b', false],
    ['a\\*b*', '/x/a*bc', true],
    ['a\\*b*', '/x/a-bc', false],
    ['[x', '/y/a[x', true],
    ['*ß*', '/y/STRASSE', true],
    ['', '/y/anything', true],
  ])('%s of %s: %s', (pattern, path, isMatch) => {
    expect(matches(pattern, path)).toBe(isMatch);
  });

  test('with many stars is compared in an instant', () => {
    expect(matches(`${'*a'.repeat(300)}*b`, `/${'a'.repeat(20_000)}`)).toBe(false);
  });
});
