import { randomInt } from 'node:crypto';

/**
 * Returns two positions of a phrase, in order: one in each half, and no neighbours. Somebody who has written down only a line of it knows one at most.
 *
 * @param count of words, at least 4
 */
export function askedPositions(count: number): readonly [number, number] {
  const half = Math.floor(count / 2);
  const first = randomInt(half);
  const second = half + randomInt(count - half);
  return second - first > 1 ? [first, second] : askedPositions(count);
}
