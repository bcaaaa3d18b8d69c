import { useCallback } from 'react';
import type { OutputOf } from '../../../../base/calls/contract.ts';
import type { WindowMethods } from '../../../../ipc/contract/contract.ts';
import { useResource } from '../../../../ui/requests/use-resource.ts';
import type { Resource } from '../../../../ui/requests/use-resource.ts';
import { call } from '../../../bridge/bridge.ts';

/** The commands around the backups of a set, and how the last ones ended. */
export type StoredHooks = OutputOf<WindowMethods, 'sets.hooks'>;

/** Loads those of a saved set. A new one has none. */
export function useStoredHooks(set: string | undefined): Resource<StoredHooks> {
  return useResource(
    useCallback(
      () => (set === undefined ? Promise.resolve({ commands: {}, results: {} }) : call('sets.hooks', { set })),
      [set],
    ),
  );
}
