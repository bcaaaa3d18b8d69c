import { resolve } from 'node:path';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { asOperator, type MetadataLocation } from '../operator-access.ts';
import { ServiceProblem } from '../request/problem.ts';
import { asServiceDataError } from './service-data-error.ts';

/**
 * Removes all second factors of a user who lost them and has no admin. Every sign-in ends, and the next correct
 * password leads to the enrolment of a new factor.
 *
 * @throws HoldfastError `usage` if nobody has that e-mail address, or there is no factor
 */
export async function resetServiceFactors({
  data,
  database,
  email,
}: MetadataLocation & { readonly email: string }): Promise<{ readonly user_id: string }> {
  try {
    return await asOperator({ data: resolve(data), database }, async (metadata) => {
      const user = await metadata.accounts.userByEmail(email);
      if (!user) throw new ServiceProblem('not_found', { detail: 'no account has this e-mail address' });
      const now = Date.now();
      const { id, accountId, role } = user;
      const done = await metadata.secondFactors.reset(id, {
        now,
        event: {
          event: 'security.mfa_disabled',
          data: { user_id: id, email: user.email, role, disabled_by: null, disabled_at: formatTimestamp(now) },
        },
        audit: { accountId, occurredAt: now, kind: 'factor.reset', details: { member: id } },
      });
      if (!done) throw new ServiceProblem('conflict', { detail: 'there is no second factor to take away' });
      return { user_id: id };
    });
  } catch (error) {
    throw asServiceDataError(error);
  }
}
