import { useCallback } from 'react';
import { useResource } from '../../../../ui/requests/use-resource.ts';
import type { Resource } from '../../../../ui/requests/use-resource.ts';
import { call } from '../../../bridge/bridge.ts';
import { fillDraft, useDraft } from '../draft/draft.ts';

/** Loads the retention policy of a saved set into the draft. */
export function useStoredPolicy(set: string | undefined): Resource<void> {
  return useResource(
    useCallback(async () => {
      if (set === undefined) return;
      const { policy } = await call('sets.retention', { set });
      const { draft } = useDraft.getState();
      // The person may have changed it already, left the view and come back, or opened another set.
      if (policy && draft?.origin === set && draft.policy === undefined) fillDraft({ policy });
    }, [set]),
  );
}
