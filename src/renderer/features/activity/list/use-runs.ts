import { useCallback, useState } from 'react';
import type { ListedRun } from '../../../../ipc/contract/activity.ts';
import type { AppState } from '../../../../ipc/state.ts';
import type { Outcome, RunKind } from '../../../../model/run.ts';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useStable } from '../../../bridge/deep-equality.ts';
import { useResource } from '../../../../ui/requests/use-resource.ts';
import { useOnChange } from '../../../shared/use-on-change.ts';

export interface RunFilter {
  readonly set?: string;
  readonly kind?: RunKind;
  readonly outcome?: Outcome;
  /** An id. */
  readonly destination?: string;
}

export interface Runs {
  /** Newest first; `undefined` before the first page arrives. */
  readonly runs: readonly ListedRun[] | undefined;
  readonly hasMore: boolean;
  readonly failure: unknown;
  readonly isLoadingMore: boolean;
  readonly more: () => void;
  readonly reload: () => void;
}

interface Page {
  readonly filter: RunFilter;
  readonly runs: readonly ListedRun[];
  readonly hasMore: boolean;
}

const PAGE = 50;
/** The longest page that the agent sends. */
const MOST = 200;

/** Loads the newest finished runs, and more on demand. It loads again when a run starts or ends. */
export function useRuns(filter: RunFilter): Runs {
  const current = useStable(filter);
  const [held, setHeld] = useState<Page>();
  const [wanted, setWanted] = useState({ filter: current, count: PAGE });
  const count = wanted.filter === current ? wanted.count : PAGE;
  const resource = useResource(
    useCallback(async () => ({ filter: current, ...(await newestRuns(current, count)) }), [current, count]),
  );
  useOnChange(useAppState(endsOf), resource.reload);
  // Keeps the loaded runs if a reload fails.
  if (resource.kind === 'ready' && resource.value !== held) setHeld(resource.value);
  const failure = resource.kind === 'failed' ? resource.failure : undefined;
  const isShown = held?.filter === current;
  return {
    runs: isShown ? held.runs : undefined,
    hasMore: isShown && held.hasMore,
    failure,
    isLoadingMore: isShown && held.hasMore && held.runs.length < count && failure === undefined,
    more: () => setWanted({ filter: current, count: (held?.runs.length ?? 0) + PAGE }),
    reload: resource.reload,
  };
}

async function newestRuns(filter: RunFilter, count: number): Promise<Omit<Page, 'filter'>> {
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

/** A value that changes whenever a run starts or ends. */
function endsOf({ runs, sets }: AppState): string {
  return [...runs.map(({ id }) => id), '|', ...sets.map(({ lastBackup }) => lastBackup?.id ?? '')].join(' ');
}
