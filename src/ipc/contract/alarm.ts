import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';

/** The reasons why a run looked like ransomware at work; a service may add more. */
export const ALARM_REASONS = [
  'mass_rewrite',
  'mass_encryption',
  'mass_deletion',
  'mass_damage',
  'known_names',
] as const;
export type AlarmReason = (typeof ALARM_REASONS)[number];

export const alarmMethods = {
  /**
   * Dismisses a ransomware alarm after a person has reviewed it: restore points may be removed again, at all destinations. One that
   * refuses leaves the others released, and the call fails. At a service, it acts as the person who signed in
   * (`account.sign-in`) if this computer only has a device key. Returns the id of a service at which a person has to sign in first.
   */
  'alarm.release': method(z.object({}), z.object({ signInAt: z.string().optional() })),
} as const;
