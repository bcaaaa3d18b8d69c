import type { ServiceContext } from '../context.ts';
import { NOTICE_LIFETIME } from './notice-time.ts';

/** What runs tell as they complete, for whatever else moves the use of storage; and old notices are forgotten. */
export async function noteUses({ metadata: { plans }, clock }: ServiceContext): Promise<void> {
  const now = clock.now();
  for (const accountId of await plans.limitedAccounts()) await plans.checkUse(accountId, now);
  // With a margin: what is forgotten would be refused by its time.
  await plans.pruneNotices(now - 2 * NOTICE_LIFETIME);
}
