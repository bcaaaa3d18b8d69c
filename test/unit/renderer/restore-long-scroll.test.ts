import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boxHeight, boxOf, positionOf } from '../../../src/ui/tables/long-scroll.ts';

const VIEW = 600;

describe('long scroll', () => {
  test('maps few rows one to one', () => {
    expect(boxHeight(360_000)).toBe(360_000);
    expect(boxOf(1_234, 360_000, VIEW)).toBe(1_234);
    expect(positionOf(1_234, 360_000, VIEW)).toBe(1_234);
  });

  test('limits the height of the box and maps both ends', () => {
    const height = 36 * 1_000_000;
    expect(boxHeight(height)).toBeLessThan(17_800_000);
    expect(positionOf(0, height, VIEW)).toBe(0);
    expect(positionOf(boxHeight(height) - VIEW, height, VIEW)).toBe(height - VIEW);
    expect(boxOf(height - VIEW, height, VIEW)).toBe(boxHeight(height) - VIEW);
  });

  test('maps every position in order and back', () => {
    const height = fc.integer({ min: 8_000_001, max: 400_000_000 });
    fc.assert(
      fc.property(height, fc.double({ min: 0, max: 1, noNaN: true }), (rows, part) => {
        const position = part * (rows - VIEW);
        const box = boxOf(position, rows, VIEW);
        expect(box).toBeGreaterThanOrEqual(0);
        expect(box).toBeLessThanOrEqual(boxHeight(rows) - VIEW);
        expect(Math.abs(positionOf(box, rows, VIEW) - position)).toBeLessThan(0.01);
        expect(boxOf(Math.min(rows - VIEW, position + 500), rows, VIEW)).toBeGreaterThanOrEqual(box);
      }),
    );
  });
});
