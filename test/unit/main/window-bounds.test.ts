import { describe, expect, test } from 'vitest';
import { openingBounds } from '../../../src/main/window/window-bounds.ts';
import type { Rectangle, WindowBounds } from '../../../src/main/window/window-bounds.ts';

const SCREEN: Rectangle = { x: 0, y: 24, width: 1920, height: 1056 };
const SECOND: Rectangle = { x: 1920, y: 0, width: 1280, height: 1024 };

function left(x: number, y: number, width = 1000, height = 700, isMaximized = false): WindowBounds {
  return { version: 1, bounds: { x, y, width, height }, isMaximized };
}

describe('openingBounds', () => {
  test.each<[string, WindowBounds | undefined, readonly Rectangle[], object]>([
    ['in the middle the first time', undefined, [SCREEN], { width: 1040, height: 720, isMaximized: false }],
    ['as it was left', left(100, 80), [SCREEN], { x: 100, y: 80, width: 1000, height: 700, isMaximized: false }],
    [
      'maximised, and knows its size without that',
      left(100, 80, 900, 600, true),
      [SCREEN],
      { x: 100, y: 80, width: 900, height: 600, isMaximized: true },
    ],
    [
      'on the second screen',
      left(2000, 40),
      [SCREEN, SECOND],
      { x: 2000, y: 40, width: 1000, height: 700, isMaximized: false },
    ],
    [
      'in the middle when that screen is gone',
      left(2000, 40),
      [SCREEN],
      { width: 1000, height: 700, isMaximized: false },
    ],
    [
      'in the middle when its title bar is above the screen',
      left(100, -30),
      [SCREEN],
      { width: 1000, height: 700, isMaximized: false },
    ],
    [
      'in the middle when its title bar is below the screen',
      left(100, 1050),
      [SCREEN],
      { width: 1000, height: 700, isMaximized: false },
    ],
    [
      'half beside the screen, if it can be taken hold of',
      left(-900, 80),
      [SCREEN],
      { x: -900, y: 80, width: 1000, height: 700, isMaximized: false },
    ],
    ['in the middle when it cannot', left(-960, 80), [SCREEN], { width: 1000, height: 700, isMaximized: false }],
    [
      'no larger than the screen',
      left(0, 24, 5000, 4000),
      [SCREEN],
      { x: 0, y: 24, width: 1920, height: 1056, isMaximized: false },
    ],
    [
      'no smaller than it may be',
      left(0, 24, 300, 200),
      [SCREEN],
      { x: 0, y: 24, width: 720, height: 520, isMaximized: false },
    ],
    ['where no screen is known', left(0, 24), [], { width: 1000, height: 700, isMaximized: false }],
  ])('%s', (_title, location, screens, expected) => {
    expect(openingBounds(location, screens)).toEqual(expected);
  });
});
