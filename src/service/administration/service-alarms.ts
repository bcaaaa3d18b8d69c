import type { Alarm } from '../alarms/alarm-store.ts';
import { onAccount, type AccountLocation } from './on-account.ts';

export type { Alarm };

/** Maximum number of entries shown. */
const ALARMS_SHOWN = 50;

/**
 * Lists the newest alarms of an account: runs that looked like ransomware.
 *
 * @throws HoldfastError `usage` if the account does not exist
 */
export function listServiceAlarms(location: AccountLocation): Promise<readonly Alarm[]> {
  return onAccount(location, ({ alarms }, account) => alarms.list(account, ALARMS_SHOWN));
}
