import type { HistoryCompleteness, HistoryMatch } from '../../../../ipc/contract/history.ts';
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
export async function findMatches(pattern: string): Promise<FoundMatches> {
  const matches: HistoryMatch[] = [];
  let after: number | undefined;
  for (;;) {
    const count = MOST_MATCHES - matches.length;
    const page = await call('history.find', { pattern, count, ...(after === undefined ? {} : { after }) });
    matches.push(...page.matches);
    const hasMore = page.next !== undefined;
    if (!hasMore || matches.length >= MOST_MATCHES) return { matches, hasMore, completeness: page.completeness };
    after = page.next;
  }
}
