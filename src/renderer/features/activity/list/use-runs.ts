import { useEffect, useState } from 'react';
import type { ListedRun } from '../../../../ipc/contract/activity.ts';
import type { Failure } from '../../../../base/failure.ts';
import type { AppState, Outcome, RunKind } from '../../../../ipc/state.ts';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { failureOf } from '../../../bridge/use-answer.ts';

export interface RunFilter {
  readonly set?: string;
  readonly kind?: RunKind;
  readonly outcome?: Outcome;
}

export interface Runs {
  /** Newest first; nothing before the first answer. */
  readonly runs: readonly ListedRun[] | undefined;
  readonly hasMore: boolean;
  readonly failure: Failure | undefined;
  readonly isLoadingMore: boolean;
  readonly more: () => void;
  readonly reload: () => void;
}

interface Held {
  readonly filter: string;
  readonly runs: readonly ListedRun[];
  readonly hasMore: boolean;
}

const PAGE = 50;
/** What one answer can hold. */
const MOST = 200;

/** Runs that ended, the newest of them, more when asked for; what ends while they are shown comes on top by itself. */
export function useRuns(filter: RunFilter): Runs {
  const filterKey = JSON.stringify(filter);
  const ends = useAppState(endsOf);
  const [held, setHeld] = useState<Held>();
  const [failure, setFailure] = useState<Failure>();
  const [wanted, setWanted] = useState({ filter: filterKey, count: PAGE });
  const [round, setRound] = useState(0);
  const count = wanted.filter === filterKey ? wanted.count : PAGE;
  const question = JSON.stringify({ filter: filterKey, count, ends, round });

  useEffect(() => {
    let isCurrent = true;
    const asked = JSON.parse(question) as { readonly filter: string; readonly count: number };
    const ask = async (): Promise<void> => {
      try {
        const newest = await newestRuns(JSON.parse(asked.filter) as RunFilter, asked.count);
        if (!isCurrent) return;
        setFailure(undefined);
        setHeld({ filter: asked.filter, ...newest });
      } catch (error) {
        if (isCurrent) setFailure(failureOf(error));
      }
    };
    void ask();
    return () => {
      isCurrent = false;
    };
  }, [question]);

  const isShown = held?.filter === filterKey;
  return {
    runs: isShown ? held.runs : undefined,
    hasMore: isShown && held.hasMore,
    failure,
    isLoadingMore: isShown && held.hasMore && held.runs.length < count && failure === undefined,
    more: () => setWanted({ filter: filterKey, count: (held?.runs.length ?? 0) + PAGE }),
    reload: () => setRound((before) => before + 1),
  };
}

async function newestRuns(filter: RunFilter, count: number): Promise<Omit<Held, 'filter'>> {
  const runs: ListedRun[] = [];
  let hasMore = true;
  while (hasMore && runs.length < count) {
    const before = runs.at(-1)?.id;
    const limit = Math.min(MOST, count - runs.length);
    const page = await call('activity.list', { ...filter, limit, ...(before === undefined ? {} : { before }) });
    runs.push(...page.runs);
    hasMore = page.hasMore && page.runs.length > 0;
  }
  return { runs, hasMore };
}

/** Changes whenever a run has begun or ended. */
function endsOf({ runs, sets }: AppState): string {
  return [...runs.map(({ id }) => id), '|', ...sets.map(({ lastBackup }) => lastBackup?.id ?? '')].join(' ');
}
