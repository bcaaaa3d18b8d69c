import { describe, expect, test } from 'vitest';
import { withSharedParts } from '../../../src/renderer/bridge/deep-equality.ts';
import { HOME_STATES } from '../../app/renderer/home-states.ts';
import { PROTECTED } from '../../app/renderer/states.ts';

describe('withSharedParts', () => {
  test('returns the earlier value when nothing has changed', () => {
    expect(withSharedParts(PROTECTED, structuredClone(PROTECTED))).toBe(PROTECTED);
  });

  test('shares the unchanged parts', () => {
    const next = structuredClone(HOME_STATES['running']!);
    const shared = withSharedParts(PROTECTED, next);
    expect(shared).toEqual(next);
    expect(shared.days).toBe(PROTECTED.days);
    expect(shared.storage).toBe(PROTECTED.storage);
    expect(shared.runs).not.toBe(PROTECTED.runs);
  });

  test.each([
    [undefined, { a: 1 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [[1, 2], [1]],
    [[], {}],
    [{ a: null }, { a: {} }],
    [{ a: { b: 1 } }, { a: [1] }],
  ])('is what it is, from %j to %j', (before, next) => {
    expect(withSharedParts<unknown>(before, next)).toStrictEqual(next);
  });
});
