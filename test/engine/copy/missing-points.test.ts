import { describe, expect, test } from 'vitest';
import { skipByTime, skipByTree } from '../../../src/engine/copy/missing-points.ts';

const at = (time: number) => ({
  restore_point: new Date(time).toISOString(),
  backup_id: 'backup',
  files: 1,
  bytes: 1,
});
const tree = { sequence: 3, treeHash: 'hash', created: 500 };

describe('what is copied by its time', () => {
  const state = { times: new Set([100, 300]), keepsTimes: true, previous: tree };
  test.each([
    [50, 'older'],
    [100, 'present'],
    [200, 'older'],
    [300, 'present'],
    [301, undefined],
  ] as const)('a restore point of %i: %s', (time, reason) => {
    expect(skipByTime(at(time), state)).toBe(reason);
    // Times there mean nothing.
    expect(skipByTime(at(time), { ...state, keepsTimes: false })).toBeUndefined();
  });

  test('everything when nothing is there', () => {
    expect(skipByTime(at(1), { times: new Set(), keepsTimes: true, previous: undefined })).toBeUndefined();
  });
});

describe('what is copied by the time of its tree', () => {
  test.each([
    [499, true, 'present'],
    [499, false, 'older'],
    [500, false, 'present'],
    [501, false, undefined],
  ] as const)('a tree of %i, present: %s', async (created, isPresent, reason) => {
    const state = { times: new Set<number>(), keepsTimes: true, previous: tree };
    expect(await skipByTree(created, state, () => Promise.resolve(isPresent))).toBe(reason);
  });
});
