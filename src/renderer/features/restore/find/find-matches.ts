import type { HistoryCompleteness, HistoryMatch } from '../../../../ipc/contract/history.ts';
import type { InputOf } from '../../../../base/calls/contract.ts';
import type { WindowMethods } from '../../../../ipc/contract/contract.ts';
import type { FindFilters } from '../store/restore-store.ts';
import { call } from '../../../bridge/bridge.ts';

/** Matches that are shown. */
export const MOST_MATCHES = 100;

export interface FoundMatches {
  /** At most `MOST_MATCHES`. */
  readonly matches: readonly HistoryMatch[];
  readonly hasMore: boolean;
  readonly completeness: HistoryCompleteness;
}

/** Finds entries of all backups by a part of their name. Reads pages until there are enough matches. */
export async function findMatches(pattern: string, filters: FindFilters, now: number): Promise<FoundMatches> {
  const search = { pattern, ...conditionsOf(filters, now) };
  const matches: HistoryMatch[] = [];
  let after: number | undefined;
  for (;;) {
    const count = MOST_MATCHES - matches.length;
    const page = await call('history.find', { ...search, count, ...(after === undefined ? {} : { after }) });
    matches.push(...page.matches);
    const hasMore = page.next !== undefined;
    if (!hasMore || matches.length >= MOST_MATCHES) return { matches, hasMore, completeness: page.completeness };
    after = page.next;
  }
}

const MEGABYTE = 1_000_000;
const DAY = 86_400_000;

const SIZES = {
  any: {},
  small: { maximumSize: MEGABYTE },
  medium: { minimumSize: MEGABYTE, maximumSize: 100 * MEGABYTE },
  large: { minimumSize: 100 * MEGABYTE },
} as const;

const DAYS = { week: 7, month: 30, year: 365 } as const;

/** @param now milliseconds since the epoch */
function conditionsOf(
  { kind, size, changed, isDeletedOnly }: FindFilters,
  now: number,
): Omit<InputOf<WindowMethods, 'history.find'>, 'pattern' | 'count'> {
  return {
    ...(kind === 'any' ? {} : { kind }),
    ...SIZES[size],
    ...(changed === 'any' ? {} : timesOf(changed, now)),
    ...(isDeletedOnly ? { isDeletedOnly } : {}),
  };
}

function timesOf(
  changed: 'week' | 'month' | 'year' | 'before',
  now: number,
): { modifiedFrom?: number; modifiedTo?: number } {
  return changed === 'before' ? { modifiedTo: now - DAYS.year * DAY } : { modifiedFrom: now - DAYS[changed] * DAY };
}
