import { useCallback, useEffect, useState } from 'react';
import type { Failure } from '../../../../base/failure.ts';
import { call } from '../../../bridge/bridge.ts';
import { failureOf } from '../../../bridge/use-answer.ts';
import { fillDraft, useDraft } from '../draft/draft.ts';

/** Whether it is known how long the set's restore points are kept; the policy itself is in the draft. */
export type StoredPolicy =
  | { readonly kind: 'waiting' | 'ready' }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly reload: () => void };

/** Fetches the policy of a set that is there into the draft, once. */
export function useStoredPolicy(set: string | undefined): StoredPolicy {
  const [stored, setStored] = useState<
    { readonly kind: 'waiting' | 'ready' } | { readonly kind: 'failed'; readonly failure: Failure }
  >({ kind: 'waiting' });
  const [round, setRound] = useState(0);
  // A new round asks again.
  const key = JSON.stringify({ set, round });
  useEffect(() => {
    const { set: wanted } = JSON.parse(key) as { readonly set?: string };
    if (wanted === undefined) return undefined;
    let isCurrent = true;
    const fetch = async (): Promise<void> => {
      try {
        const { policy } = await call('sets.retention', { set: wanted });
        if (!isCurrent) return;
        // What was changed already stays: the view was left and is back.
        if (policy && useDraft.getState().draft?.policy === undefined) fillDraft({ policy });
        setStored({ kind: 'ready' });
      } catch (error) {
        if (isCurrent) setStored({ kind: 'failed', failure: failureOf(error) });
      }
    };
    void fetch();
    return () => {
      isCurrent = false;
    };
  }, [key]);
  const reload = useCallback(() => {
    setStored({ kind: 'waiting' });
    setRound((before) => before + 1);
  }, []);
  return stored.kind === 'failed' ? { ...stored, reload } : stored;
}
