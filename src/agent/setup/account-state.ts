import {
  fetchEnvelope,
  storedSets,
  type AccountAccess,
  type StoredEnvelope,
  type StoredSet,
} from '../destination/account-keys.ts';
import type { AccountState } from './master-key.ts';

export interface FoundAccount extends AccountState {
  /** Nothing where the service cannot list them: then the first backup finds out whether the key is right. */
  readonly sets: readonly StoredSet[] | undefined;
}

/** What an account holds already, and under which keys. */
export async function findAccount(
  access: AccountAccess,
  deviceIds: readonly string[],
  signal?: AbortSignal,
): Promise<FoundAccount> {
  const sets = await storedSets(access, deviceIds, signal);
  const envelopes: StoredEnvelope[] = [];
  for (const set of sets ?? []) {
    const envelope = await fetchEnvelope(access, set, signal);
    if (envelope) envelopes.push(envelope);
  }
  return { sets, hasBackups: (sets ?? []).length > 0, envelopes };
}
