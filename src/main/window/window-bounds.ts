import { z } from 'zod';

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const MINIMUM_SIZE = { width: 720, height: 520 } as const;
const FIRST_SIZE = { width: 1040, height: 720 } as const;
/** Pixels of a window that must be on a screen, so that the pointer can grab it. */
const GRIP = 80;

/** The bounds of the window when it was last moved, in density-independent pixels. */
export const windowBounds = z.object({
  version: z.literal(1),
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) }),
  isMaximized: z.boolean(),
});
export type WindowBounds = Readonly<z.infer<typeof windowBounds>>;

export interface OpeningBounds {
  readonly width: number;
  readonly height: number;
  /** The window is centred on the main screen when `x` and `y` are missing. */
  readonly x?: number;
  readonly y?: number;
  readonly isMaximized: boolean;
}

/**
 * Computes the bounds in which the window opens: the last ones, if there is still a screen for them.
 *
 * @param screens the work area of each screen, the main one first
 */
export function openingBounds(left: WindowBounds | undefined, screens: readonly Rectangle[]): OpeningBounds {
  const bounds = left?.bounds;
  const screen = bounds && screens.find((one) => hasGrip(bounds, one));
  const available = screen ?? screens[0];
  const size = {
    width: fit(bounds?.width ?? FIRST_SIZE.width, MINIMUM_SIZE.width, available?.width),
    height: fit(bounds?.height ?? FIRST_SIZE.height, MINIMUM_SIZE.height, available?.height),
  };
  const isMaximized = left?.isMaximized ?? false;
  return bounds && screen ? { ...size, x: bounds.x, y: bounds.y, isMaximized } : { ...size, isMaximized };
}

/** Returns whether enough of the title bar, by which a window is moved, is on the screen. */
function hasGrip(bounds: Rectangle, screen: Rectangle): boolean {
  const shared = Math.min(bounds.x + bounds.width, screen.x + screen.width) - Math.max(bounds.x, screen.x);
  const isTopInside = bounds.y >= screen.y && bounds.y <= screen.y + screen.height - GRIP;
  return shared >= GRIP && isTopInside;
}

function fit(wanted: number, least: number, available: number | undefined): number {
  return Math.max(least, Math.min(wanted, available ?? wanted));
}
