import { z } from 'zod';
import { method } from '../../../base/calls/contract.ts';

/** A password as typed; its owner chooses its strength. */
const password = z.string().min(1).max(1000);
/** The minimum length of a new password. */
export const LOCK_PASSWORD_LENGTH = 6;
/** Input of calls for which the lock's password is requested again. */
export const lockPassword = z.object({ password: password.optional() });

/**
 * The lock of the window, in the main process: it hides the content of the window, and encrypts nothing. Every check of a
 * password can fail with `lock_password_wrong` (`seconds` until the next check, if there is a delay), `lock_wait`
 * (`seconds`), or `lock_damaged` if the file with the password cannot be read.
 */
export const lockMethods = {
  /** Locks at once. Fails with `refused` if no password is set. */
  'lock.now': method(z.object({}), z.object({})),
  'lock.unlock': method(z.object({ password }), z.object({})),
  /** Removes a forgotten password. Fails with `phrase_invalid`, `phrase_other_account`. */
  'lock.unlock-with-phrase': method(z.object({ phrase: z.string().min(1).max(5000) }), z.object({})),
  /** Lets the system verify the person. Fails with `refused` if it cannot, or did not recognise the person. */
  'lock.unlock-with-system': method(z.object({}), z.object({})),
  /** Turns the lock on by setting a password, or replaces the `current` one. */
  'lock.set-password': method(
    z.object({ password: password.min(LOCK_PASSWORD_LENGTH), current: password.optional() }),
    z.object({}),
  ),
  /** Turns the lock off. */
  'lock.remove': method(z.object({ current: password }), z.object({})),
  /** Sets when the window locks besides at every start; `idleMinutes` is 0 for never. */
  'lock.configure': method(z.object({ locksOnClose: z.boolean(), idleMinutes: z.int().min(0).max(240) }), z.object({})),
} as const;
