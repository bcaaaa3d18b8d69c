import { z } from 'zod';
import { method } from '../../../base/calls/contract.ts';
import { destinationId } from '../../../model/destination.ts';

export const listedDevice = z.object({
  id: z.string(),
  name: z.string(),
  platform: z.string().optional(),
  isThisOne: z.boolean(),
  /** `healthy`, `new`, `warning`, `offline`, `alarm` or `revoked`, if the service reports it. */
  status: z.string().optional(),
  /** ISO 8601. */
  lastBackup: z.string().optional(),
  lastSeen: z.string().optional(),
});
export type ListedDevice = Readonly<z.infer<typeof listedDevice>>;

export const deviceMethods = {
  /** The computers that back up to a destination, by default the first. */
  'devices.list': method(
    z.object({ destination: destinationId.optional() }),
    z.object({ devices: z.array(listedDevice), canRevoke: z.boolean() }),
  ),
  /**
   * Revokes a device at a destination, by default the first, as the person who signed in (`account.sign-in`) if this computer only has a device key. Fails with
   * `permission_denied`, also if nobody has signed in.
   */
  'devices.revoke': method(z.object({ id: z.string(), destination: destinationId.optional() }), z.object({})),
  /** Returns where this computer's keys are stored, and whether the system's keychain could store them. */
  'security.state': method(
    z.object({}),
    z.object({
      protection: z.enum(['file', 'keychain']),
      location: z.string(),
      isKeychainAvailable: z.boolean(),
      /** `not-asked`: the phrase was shown or typed outside of the window, where nobody is asked whether it is written down. */
      phrase: z.enum(['confirmed', 'unconfirmed', 'not-asked']),
      /** Whether a passphrase opens the key; missing while the keys cannot be read. */
      hasPassphrase: z.boolean().optional(),
    }),
  ),
  /** Moves the keys between the file and the system's keychain. Fails with `keychain_unavailable`. */
  'security.move-keys': method(z.object({ to: z.enum(['file', 'keychain']) }), z.object({})),
  /** Returns the settings, the state and the last runs as text, without secrets and without names of files. */
  'diagnostics.text': method(z.object({}), z.object({ text: z.string() })),
} as const;
