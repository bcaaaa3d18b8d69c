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
