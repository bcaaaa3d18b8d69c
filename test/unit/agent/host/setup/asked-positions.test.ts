import { expect, test } from 'vitest';
import { askedPositions } from '../../../../../src/agent/host/setup/asked-positions.ts';

test('asks for one word of each half of a phrase, and never for neighbours', () => {
  const asked = Array.from({ length: 5_000 }, () => askedPositions(24));
  expect(asked.filter(([first, second]) => first >= 12 || second < 12 || second - first < 2)).toEqual([]);
  // Every word is asked for now and then.
  expect(new Set(asked.flat()).size).toBe(24);
});
