import { resolve } from 'node:path';
import { asOperatorOf, type MetadataLocation } from '../operator-access.ts';
import type { Alarm } from '../alarms/alarm-store.ts';
import { asServiceDataError } from './service-data-error.ts';

export type { Alarm };

/** Maximum number of entries shown. */
const ALARMS_SHOWN = 50;

/**
 * Lists the newest alarms of an account: runs that looked like ransomware.
 *
 * @throws HoldfastError `usage` if the account does not exist
 */
export async function listServiceAlarms({
  data,
  database,
  email,
}: MetadataLocation & { readonly email: string }): Promise<readonly Alarm[]> {
  try {
    return await asOperatorOf({ data: resolve(data), database }, email, ({ alarms }, account) =>
      alarms.list(account, ALARMS_SHOWN),
    );
  } catch (error) {
    throw asServiceDataError(error);
  }
}
