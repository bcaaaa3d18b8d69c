import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparePaths, isWithin, nameOf, parentOf, pathOfSortKey, pathSortKey } from '../../../src/model/entry-path.ts';

describe('a directory prefix', () => {
  test.each([
    ['/a/b', '/a/b', true],
    ['/a/b/c', '/a/b', true],
    ['/a/bc', '/a/b', false],
    ['/a/b/c', '/a/b/', true],
    ['/a', '/a/b', false],
    ['/a', '', true],
    ['/a', '/', true],
    ['C:/a', '/', true],
  ])('%s within %s: %s', (path, prefix, within) => {
    expect(isWithin(path, prefix)).toBe(within);
  });

  test('joined with the name is the path', () => {
    expect([parentOf('/a/b'), nameOf('/a/b')]).toEqual(['/a', 'b']);
    expect([parentOf('/a'), nameOf('/a')]).toEqual(['', 'a']);
    expect([parentOf('C:/a'), nameOf('C:/a'), parentOf('C:')]).toEqual(['C:', 'a', '']);
  });
});

describe('the order of paths', () => {
  test("sorts a folder's content before its siblings", () => {
    const paths = ['/a', '/a/x', '/a/x/y', '/a b', '/a!', '/a-b', '/a.b', '/ab', '/b'];
    expect([...paths].reverse().sort(comparePaths)).toEqual(paths);
  });

  const segment = fc.string({
    unit: fc.constantFrom(
      'a',
      'z',
      '.',
      '!',
      '\u0001',
      '\u0002',
      '\u0003',
      'é',
      '\uE000',
      '\uFFFD',
      '😀',
      '\u{10FFFD}',
    ),
    minLength: 1,
    maxLength: 4,
  });
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`);

  test('is the byte order of sort keys', () => {
    fc.assert(
      fc.property(path, path, (a, b) => {
        const bytes = Buffer.compare(Buffer.from(pathSortKey(a)), Buffer.from(pathSortKey(b)));
        expect(Math.sign(comparePaths(a, b))).toBe(bytes);
      }),
    );
  });

  test('is the order of a walk that sorts each folder by bytes', () => {
    fc.assert(
      fc.property(path, path, (a, b) => {
        const [x, y] = [a.split('/'), b.split('/')];
        const index = x.findIndex((part, position) => part !== y[position]);
        const walk =
          index < 0 || y[index] === undefined
            ? Math.sign(x.length - y.length)
            : Buffer.compare(Buffer.from(x[index]!), Buffer.from(y[index]));
        expect(Math.sign(comparePaths(a, b))).toBe(walk);
      }),
    );
  });

  test('has reversible keys', () => {
    fc.assert(fc.property(path, (text) => pathOfSortKey(pathSortKey(text)) === text));
  });
});
