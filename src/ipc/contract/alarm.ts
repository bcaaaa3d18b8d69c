import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';

/** Why a run looked like ransomware at work; a service may come to know more of them. */
export const ALARM_REASONS = ['mass_rewrite', 'mass_encryption', 'known_names'] as const;
export type AlarmReason = (typeof ALARM_REASONS)[number];

export const alarmMethods = {
  /**
   * A person has looked at what looked like ransomware and says that it was none: restore points may be removed again. At a
   * service, as whoever has signed in (`account.sign-in`) where this computer only has a device key. Fails with
   * `permission_denied` and `signed_out`.
   */
  'alarm.release': method(z.object({}), z.object({})),
} as const;
