import type { HistoryCompleteness, HistoryMatch } from '../../../../ipc/contract/restore/history.ts';
import type { InputOf } from '../../../../base/calls/contract.ts';
import type { WindowMethods } from '../../../../ipc/contract/contract.ts';
import type { FindFilters } from '../store/restore-store.ts';
import { call } from '../../../bridge/bridge.ts';
import { DAY } from '../../../../model/units.ts';

/** Matches that are shown. */
export const MOST_MATCHES = 100;

export interface FoundMatch extends HistoryMatch {
  /** False if nothing is in its place on this computer now, as far as it is of this computer. */
  readonly isHere: boolean;
}

export interface FoundMatches {
  /** At most `MOST_MATCHES`. */
  readonly matches: readonly FoundMatch[];
  readonly hasMore: boolean;
  readonly completeness: HistoryCompleteness;
}

/** Entries whose place on the disk is looked at for those that were lost since the last backup. */
const MOST_LOOKED_AT = 2_000;
/** Paths in one call. */
const AT_ONCE = 100;

/**
 * Finds entries of all backups by a part of their name. Reads pages until there are enough matches. Deleted ones include those that the newest restore
 * point has and the disk has lost since, among the first matches.
 */
export async function findMatches(pattern: string, filters: FindFilters, now: number): Promise<FoundMatches> {
  const search = { pattern, ...conditionsOf(filters, now) };
  if (!filters.isDeletedOnly) {
    const found = await pagesOf(search, MOST_MATCHES);
    return { ...found, matches: await withPlaces(found.matches) };
  }
  const { isDeletedOnly: _, ...all } = search;
  const lost = (await withPlaces((await pagesOf(all, MOST_LOOKED_AT)).matches)).filter(
    ({ isHere, isDeleted }) => !isHere && !isDeleted,
  );
  const found = await pagesOf(search, MOST_MATCHES);
  const matches = [...lost, ...(await withPlaces(found.matches)).filter(({ isHere }) => !isHere)];
  return {
    ...found,
    matches: matches.slice(0, MOST_MATCHES),
    hasMore: found.hasMore || matches.length > MOST_MATCHES,
  };
}

type Search = Omit<InputOf<WindowMethods, 'history.find'>, 'count' | 'after'>;

interface Pages extends Omit<FoundMatches, 'matches'> {
  readonly matches: readonly HistoryMatch[];
}

async function pagesOf(search: Search, most: number): Promise<Pages> {
  const matches: HistoryMatch[] = [];
  let after: number | undefined;
  for (;;) {
    const count = Math.min(most - matches.length, 1_000);
    const page = await call('history.find', { ...search, count, ...(after === undefined ? {} : { after }) });
    matches.push(...page.matches);
    const hasMore = page.next !== undefined;
    if (!hasMore || matches.length >= most) return { matches, hasMore, completeness: page.completeness };
    after = page.next;
  }
}

/**
 * Looks at the disk for those of this computer: a deleted one may have been restored since. What cannot be looked at counts as it was in the
 * newest restore point.
 */
async function withPlaces(matches: readonly HistoryMatch[]): Promise<readonly FoundMatch[]> {
  const own = matches.filter(({ device }) => device === undefined);
  const here = new Map<HistoryMatch, boolean>();
  for (let start = 0; start < own.length; start += AT_ONCE) {
    const asked = own.slice(start, start + AT_ONCE);
    const found = await call('restore.on-disk', { paths: asked.map(({ path }) => path) }).then(
      (answer) => new Set(answer.found.map(({ path }) => path)),
      () => undefined,
    );
    if (found) for (const match of asked) here.set(match, found.has(match.path));
  }
  return matches.map((match) => ({ ...match, isHere: here.get(match) ?? !match.isDeleted }));
}

const MEGABYTE = 1_000_000;

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
