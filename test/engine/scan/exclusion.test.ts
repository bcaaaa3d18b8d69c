import { describe, expect, test } from 'vitest';
import { Exclusion } from '../../../src/engine/scan/exclusion.ts';

describe('exclusion patterns of a set with the root', () => {
  test.each([
    ['a folder', '/home/anna', '/home/anna/'],
    ['the whole of a file system', '/', '/'],
    ['a drive', 'C:/', 'C:/'],
  ])('%s are held against names from there on', (_name, root, prefix) => {
    const exclusion = new Exclusion(['/tmp/', 'cache', '/a/b'], [], []);
    const scope = exclusion.rootScope(root);
    const isLeftOut = (path: string, isDirectory = false): boolean =>
      exclusion.excludes(scope, prefix + path, isDirectory) !== undefined;
    expect(['tmp', 'cache', 'x/cache', 'a/b'].map((path) => isLeftOut(path, true))).toEqual([true, true, true, true]);
    // Names that end like a pattern, and names of one character.
    expect(['atmp', 'x/tmp', 'icache', 'x', 'xa/b'].map((path) => isLeftOut(path, true))).toEqual(Array(5).fill(false));
    expect(isLeftOut('x')).toBe(false);
  });
});

describe('incomplete files of a restore', () => {
  const exclusion = new Exclusion(['!*'], [], []);
  const rule = (name: string, isDirectory = false) =>
    exclusion.excludes(exclusion.rootScope('/home'), `/home/docs/${name}`, isDirectory);

  test.each(['.holdfast-partial-0123456789abcdef-7', '.holdfast-partial-0123456789abcdef-probe'])(
    '%s is left out',
    (name) => {
      expect(rule(name)).toEqual({ pattern: '.holdfast-partial-*', source: 'holdfast' });
      expect(rule(name, true)).toBeUndefined();
    },
  );

  test.each([
    '.holdfast-partial-notes',
    '.holdfast-partial-0123456789abcdef-',
    '.holdfast-partial-0123456789abcdef-7.txt',
    '.holdfast-partial-0123456789ABCDEF-7',
    'x.holdfast-partial-0123456789abcdef-7',
  ])('%s is a file of the person', (name) => {
    expect(rule(name)).toBeUndefined();
  });
});
