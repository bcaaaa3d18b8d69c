import { formatTimestamp } from '../../protocol/timestamp.ts';
import { createOperatorReset } from '../auth/passwords/password-reset.ts';
import { onAccount, type AccountLocation } from './on-account.ts';

export interface ServicePasswordReset {
  readonly user_id: string;
  /** A link; without a public address in the configuration, it begins with a word for the service's own. */
  readonly address: string;
  readonly expires_at: string;
}

/** Creates a link for a new password. The present one stays valid until it is used. @throws HoldfastError `usage` */
export function resetServicePassword({
  publicUrl,
  ...location
}: AccountLocation & { readonly publicUrl?: string }): Promise<ServicePasswordReset> {
  return onAccount(location, async (metadata, _, user) => {
    const { view, expiresAt } = await createOperatorReset(metadata, user, Date.now());
    const base = publicUrl?.replace(/\/+$/, '') ?? 'http://SERVICE';
    return { user_id: user.id, address: `${base}/${view}`, expires_at: formatTimestamp(expiresAt) };
  });
}
