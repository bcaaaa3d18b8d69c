import type { StoredAt } from '../../../jobs/job-record.ts';
import type { Growth } from '../../../ipc/state.ts';
import { DAY } from '../../../model/units.ts';

/** The period of the growth that is shown. */
const PERIOD = 30 * DAY;
/** A shorter time says little: the first backup of a set is all of it. */
const LEAST = 7 * DAY;
/** Nobody plans further ahead. */
const FORECAST = 5 * 365 * DAY;

/**
 * Adds the stored bytes after further backups to those of the days before. Keeps the last of each day, of the period and one before.
 *
 * @param more oldest first, later than all of `known`
 */
export function withLastOfDays(known: readonly StoredAt[], more: readonly StoredAt[]): readonly StoredAt[] {
  const all = [...known, ...more];
  const dayOf = ({ at }: StoredAt): number => Math.floor(at / DAY);
  const lastOfDays = all.filter((one, index) => index === all.length - 1 || dayOf(all[index + 1]!) !== dayOf(one));
  const end = lastOfDays.at(-1)?.at ?? 0;
  const first = lastOfDays.findLastIndex(({ at }) => at <= end - PERIOD);
  return lastOfDays.slice(Math.max(0, first));
}

/**
 * Returns by how much a destination has grown since the last backup of 30 days ago, or since the first. `undefined` if that is less
 * than a week, or if there was no backup since then.
 */
export function growthOf(stored: readonly StoredAt[], now: number): Growth | undefined {
  const last = stored.at(-1);
  const first = stored.findLast(({ at }) => at <= now - PERIOD) ?? stored[0];
  if (!last || !first || last.at <= now - PERIOD || last.at - first.at < LEAST) return undefined;
  return { days: Math.round((last.at - first.at) / DAY), bytes: last.bytes - first.bytes };
}

/** Returns when the free space ends if the growth goes on like this; `undefined` if that is more than five years ahead. */
export function fullAt(growth: Growth | undefined, freeBytes: number | undefined, now: number): number | undefined {
  if (!growth || freeBytes === undefined || growth.bytes <= 0) return undefined;
  const left = (freeBytes / growth.bytes) * growth.days * DAY;
  return left <= FORECAST ? now + left : undefined;
}
