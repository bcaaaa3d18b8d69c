import type { PortalDeviceDay } from '../../../protocol/portal/portal-devices.ts';
import { DAY } from '../../../model/units.ts';

const SHOWN = 90;

export type DayState = 'completed' | 'both' | 'failed' | 'none';

/** Returns the days (UTC) up to that of `now`, oldest first. */
export function shownDays(now: number): readonly string[] {
  return Array.from({ length: SHOWN }, (_, index) =>
    new Date(now - (SHOWN - 1 - index) * DAY).toISOString().slice(0, 10),
  );
}

export function dayState(day: PortalDeviceDay | undefined): DayState {
  if (!day) return 'none';
  if (day.failed === 0) return 'completed';
  return day.completed === 0 ? 'failed' : 'both';
}
