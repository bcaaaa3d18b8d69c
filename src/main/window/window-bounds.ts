import { z } from 'zod';

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const MINIMUM_SIZE = { width: 720, height: 520 } as const;
const FIRST_SIZE = { width: 1040, height: 720 } as const;
/** So much of a window has to be on a screen that it can be taken hold of. */
const GRIP = 80;

/** How a person left the window; in pixels that do not depend on the screen's density. */
export const windowPlace = z.object({
  version: z.literal(1),
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) }),
  isMaximized: z.boolean(),
});
export type WindowPlace = Readonly<z.infer<typeof windowPlace>>;

export interface OpeningPlace {
  readonly width: number;
  readonly height: number;
  /** In the middle of the main screen where they are missing. */
  readonly x?: number;
  readonly y?: number;
  readonly isMaximized: boolean;
}

/**
 * Where the window opens: as it was left, as far as there is still a screen for that.
 *
 * @param screens what each screen has for windows, the main one first
 */
export function openingPlace(left: WindowPlace | undefined, screens: readonly Rectangle[]): OpeningPlace {
  const bounds = left?.bounds;
  const screen = bounds && screens.find((one) => hasGrip(bounds, one));
  const room = screen ?? screens[0];
  const size = {
    width: fit(bounds?.width ?? FIRST_SIZE.width, MINIMUM_SIZE.width, room?.width),
    height: fit(bounds?.height ?? FIRST_SIZE.height, MINIMUM_SIZE.height, room?.height),
  };
  const isMaximized = left?.isMaximized ?? false;
  return bounds && screen ? { ...size, x: bounds.x, y: bounds.y, isMaximized } : { ...size, isMaximized };
}

/** The title bar is what a window is moved by: it has to be there, and wide enough. */
function hasGrip(bounds: Rectangle, screen: Rectangle): boolean {
  const shared = Math.min(bounds.x + bounds.width, screen.x + screen.width) - Math.max(bounds.x, screen.x);
  const isTopInside = bounds.y >= screen.y && bounds.y <= screen.y + screen.height - GRIP;
  return shared >= GRIP && isTopInside;
}

function fit(wanted: number, least: number, room: number | undefined): number {
  return Math.max(least, Math.min(wanted, room ?? wanted));
}
