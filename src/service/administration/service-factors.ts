import { formatTimestamp } from '../../protocol/timestamp.ts';
import { ServiceProblem } from '../request/problem.ts';
import { onAccount, type AccountLocation } from './on-account.ts';

/**
 * Removes all second factors of a user who lost them and has no admin. Every sign-in ends, and the next correct
 * password leads to the enrolment of a new factor.
 *
 * @throws HoldfastError `usage` if nobody has that e-mail address, or there is no factor
 */
export function resetServiceFactors(location: AccountLocation): Promise<{ readonly user_id: string }> {
  return onAccount(location, async (metadata, accountId, { id, email, role }) => {
    const now = Date.now();
    const done = await metadata.secondFactors.reset(id, {
      now,
      event: {
        event: 'security.mfa_disabled',
        data: { user_id: id, email, role, disabled_by: null, disabled_at: formatTimestamp(now) },
      },
      audit: { accountId, occurredAt: now, kind: 'factor.reset', details: { member: id } },
    });
    if (!done) throw new ServiceProblem('conflict', { detail: 'there is no second factor to take away' });
    return { user_id: id };
  });
}
