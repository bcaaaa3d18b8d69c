import { resolve } from 'node:path';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { createOperatorReset } from '../auth/passwords/password-reset.ts';
import { asOperator, type MetadataLocation } from '../operator-access.ts';
import { ServiceProblem } from '../request/problem.ts';
import { asServiceDataError } from './service-data-error.ts';

export interface ServicePasswordReset {
  readonly user_id: string;
  /** A link; without a public address in the configuration, it begins with a word for the service's own. */
  readonly address: string;
  readonly expires_at: string;
}

/** Creates a link for a new password. The present one stays valid until it is used. @throws HoldfastError `usage` */
export async function resetServicePassword({
  data,
  database,
  email,
  publicUrl,
}: MetadataLocation & { readonly email: string; readonly publicUrl?: string }): Promise<ServicePasswordReset> {
  try {
    return await asOperator({ data: resolve(data), database }, async (metadata) => {
      const user = await metadata.accounts.userByEmail(email);
      if (!user) throw new ServiceProblem('not_found', { detail: 'no account has this e-mail address' });
      const { view, expiresAt } = await createOperatorReset(metadata, user, Date.now());
      const base = publicUrl?.replace(/\/+$/, '') ?? 'http://SERVICE';
      return { user_id: user.id, address: `${base}/${view}`, expires_at: formatTimestamp(expiresAt) };
    });
  } catch (error) {
    throw asServiceDataError(error);
  }
}
