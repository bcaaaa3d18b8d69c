import { describe, expect, test } from 'vitest';
import { isOfSameRun, isPast, skipByTime, skipByTree } from '../../../src/copy/missing-points.ts';

const at = (time: number) => ({
  restore_point: new Date(time).toISOString(),
  backup_id: 'backup',
  files: 1,
  bytes: 1,
});
const tree = { sequence: 3, treeHash: 'hash', previousTree: undefined, created: 500 };

describe('what is copied by its time', () => {
  const state = { times: new Set([100, 300]), keepsTimes: 'new' as const, previous: tree };
  test.each([
    [50, 'older'],
    [100, 'present'],
    [200, 'older'],
    [300, 'present'],
    [301, undefined],
  ] as const)('a restore point of %i: %s', (time, reason) => {
    expect(skipByTime(at(time), state)).toBe(reason);
    expect(isPast(at(time), state)).toBe(false);
    // Times there mean nothing.
    expect(skipByTime(at(time), { ...state, keepsTimes: 'none' })).toBeUndefined();
  });

  test.each([
    [50, undefined, true],
    [100, 'present', true],
    [200, undefined, true],
    [300, 'present', false],
    [301, undefined, false],
  ] as const)('a restore point of %i where all times are kept: %s, before others: %s', (time, reason, past) => {
    expect(skipByTime(at(time), { ...state, keepsTimes: 'all' })).toBe(reason);
    expect(isPast(at(time), { ...state, keepsTimes: 'all' })).toBe(past);
  });

  test('everything when nothing is there', () => {
    expect(skipByTime(at(1), { times: new Set(), keepsTimes: 'new' as const, previous: undefined })).toBeUndefined();
  });
});

describe('what is copied by the time of its tree', () => {
  test.each([
    [499, true, 'present'],
    [499, false, 'older'],
    [500, false, 'present'],
    [501, false, undefined],
  ] as const)('a tree of %i, present: %s', async (created, isPresent, reason) => {
    const state = { times: new Set<number>(), keepsTimes: 'new' as const, previous: tree };
    expect(await skipByTree(created, state, () => Promise.resolve(isPresent))).toBe(reason);
  });
});

describe('a tree of the same run at the other destination', () => {
  const MINUTE = 60_000;
  const trees = new Map([
    [100 * MINUTE, { created: 90 * MINUTE, pieces: 'one' }],
    [115 * MINUTE, { created: 101 * MINUTE, pieces: 'two' }],
    [130 * MINUTE, { created: 120 * MINUTE, pieces: 'one' }],
  ]);
  const read: number[] = [];
  const nothing = () => Promise.resolve(undefined);
  const treeAt = (time: number) => {
    read.push(time / MINUTE);
    return Promise.resolve(trees.get(time));
  };

  test.each([
    ['of the same pieces a moment before', 89, 'one', true, [100]],
    ['of the same pieces a moment after', 91, 'one', true, [100]],
    ['of other pieces', 90, 'two', false, [100, 115]],
    ['of a longer run', 109, 'two', true, [100, 115]],
    ['of the same pieces, but another run', 79, 'one', false, [100]],
    ['of a later run', 105, 'one', false, [100, 115, 130]],
    ['of the newest run', 125, 'one', true, [115, 130]],
    ['after all others', 141, 'one', false, []],
  ] as const)('%s', async (_, created, pieces, expected, reads) => {
    read.length = 0;
    const times = [...trees.keys(), 40 * MINUTE].toReversed();
    const compared = { created: created * MINUTE, pieces };
    expect(await isOfSameRun(compared, { times, treeAt }, { times: [], treeAt: nothing })).toBe(expected);
    expect(read).toEqual(reads);
  });

  test.each([
    ['alone', [], true],
    ['with one of the same pieces farther away', [97], true],
    ['with one of other pieces nearer', [91], true],
    ['with one of the same pieces nearer before', [88], false],
    ['with one of the same pieces nearer after', [92], false],
    ['with an earlier one of the same pieces as near', [87], false],
    ['with those of other days', [10, 200], true],
  ] as const)('is that of the nearest only: %s', async (_, others, expected) => {
    const own = new Map([93, ...others].map((minute) => [(minute + 1) * MINUTE, minute * MINUTE]));
    const ownTreeAt = (time: number) => {
      const created = own.get(time);
      const pieces = created === 91 * MINUTE ? 'other' : 'one';
      return Promise.resolve(created === undefined ? undefined : { created, pieces });
    };
    const at = { times: [...own.keys()].toReversed(), treeAt: ownTreeAt };
    const compared = { created: 93 * MINUTE, pieces: 'one' };
    expect(await isOfSameRun(compared, { times: trees.keys(), treeAt }, at)).toBe(expected);
  });
});
