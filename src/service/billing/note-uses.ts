import type { ServiceContext } from '../context.ts';
import { NOTICE_LIFETIME } from './notice-time.ts';

/** Sends usage events for changes outside of runs, and deletes old notices. */
export async function noteUses({ metadata: { plans }, clock }: ServiceContext): Promise<void> {
  const now = clock.now();
  for (const accountId of await plans.limitedAccounts()) await plans.checkUse(accountId, now);
  // With a margin: a deleted notice would be rejected by its time.
  await plans.pruneNotices(now - 2 * NOTICE_LIFETIME);
}
