import {
  fetchEnvelope,
  storedSets,
  type AccountAccess,
  type StoredEnvelope,
  type StoredSet,
} from '../destination/keys/account-keys.ts';
import type { AccountState } from './master-key.ts';

export interface FoundAccount extends AccountState {
  /** `undefined` if the service cannot list them. Then the first backup checks the key. */
  readonly sets: readonly StoredSet[] | undefined;
}

/** Finds the backups of an account and the envelopes of their keys. */
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
