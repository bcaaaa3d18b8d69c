import { describe, expect, test } from 'vitest';
import { pieceAt, piecesOfFolder, piecesWithin } from '../../../../src/format/tree/piece-ranges.ts';

const pieces = ['/r', '/r/a/b', '/r/a/b/c', '/r/a/b/d', '/r/a/c', '/r/b', '/s/x', '/s/y/1', '/s/y/2', '/s/z'].map(
  (firstPath) => ({ firstPath }),
);
const ROOTS = ['/r', '/s'];

describe('pieces that can contain', () => {
  test.each([
    ['', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['/r/a', [0, 1, 2, 3, 4]],
    ['/r/a/b', [1, 2, 3]],
    ['/r/a/b/cc', [2]],
    ['/a', []],
    ['/z', [9]],
  ])('anything in %j', (path, expected) => {
    expect([...piecesWithin(pieces, path)]).toEqual(expected);
    expect([...piecesWithin([], path)]).toEqual([]);
  });

  test.each([
    ['/r', [0, 4, 5]],
    ['/r/a', [0, 1, 3, 4]],
    ['/r/a/b', [1, 2, 3]],
    ['/s', [5, 6, 8, 9]],
    ['', [0, 5, 9]],
  ])('the entries of %j itself', (folder, expected) => {
    expect([...piecesOfFolder(pieces, folder, ROOTS)]).toEqual(expected);
  });

  test('a path that precedes all', () => {
    expect(pieceAt(pieces, '/a')).toBe(-1);
  });
});
