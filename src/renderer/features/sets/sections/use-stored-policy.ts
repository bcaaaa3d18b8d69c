import { useCallback } from 'react';
import { useResource } from '../../../../ui/requests/use-resource.ts';
import type { Resource } from '../../../../ui/requests/use-resource.ts';
import { call } from '../../../bridge/bridge.ts';
import { changeDraft, fillDraft, useDraft } from '../draft/draft.ts';

export interface StoredPolicy {
  /** False if no destination has policies. */
  readonly isSupported: boolean;
  /** The destinations have different ones. */
  readonly differs: boolean;
}

/** Loads the retention policy of a saved set into the draft. */
export function useStoredPolicy(set: string | undefined): Resource<StoredPolicy> {
  return useResource(
    useCallback(async () => {
      if (set === undefined) return { isSupported: true, differs: false };
      const { policy, differs = false } = await call('sets.retention', { set });
      const { draft } = useDraft.getState();
      // The person may have changed it already, left the view and come back, or opened another set.
      if (policy && draft?.origin === set && draft.policy === undefined) fillDraft({ policy });
      return { isSupported: policy !== null, differs };
    }, [set]),
  );
}

/** Loads the policy of one destination into the draft. Returns whether it has policies. */
export function useStoredPolicyAt(set: string, destination: string): Resource<boolean> {
  return useResource(
    useCallback(async () => {
      const { policy } = await call('sets.retention', { set, destination });
      if (policy === null) return false;
      const { draft, saved } = useDraft.getState();
      if (draft?.origin !== set || draft.policies[destination] !== undefined) return true;
      const policies = { ...draft.policies, [destination]: policy };
      fillDraft({ policies: { ...saved?.policies, [destination]: policy } });
      changeDraft({ policies });
      return true;
    }, [set, destination]),
  );
}
