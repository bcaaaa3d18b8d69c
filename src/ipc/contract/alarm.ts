import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';

export const alarmMethods = {
  /**
   * Dismisses a ransomware alarm after a person has reviewed it: restore points may be removed again, at all destinations. One that
   * refuses leaves the others released, and the call fails. At a service, it acts as the person who signed in
   * (`account.sign-in`) if this computer only has a device key. Returns the id of a service at which a person has to sign in first.
   */
  'alarm.release': method(z.object({}), z.object({ signInAt: z.string().optional() })),
} as const;
