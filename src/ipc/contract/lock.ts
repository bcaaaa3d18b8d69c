import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';

/** As it is typed; its owner chooses how good it is. */
const password = z.string().min(1).max(1000);
/** One that is to be kept has to be worth the name. */
export const LOCK_PASSWORD_LENGTH = 6;

/**
 * The lock of the window, which the main process keeps: it hides what the window shows, and encrypts nothing. Wherever a
 * password is looked at, it fails with `lock_password_wrong` (`seconds`: until the next one is looked at, where that is not
 * at once), `lock_wait` (`seconds`), or `lock_damaged` where the file with the password cannot be read.
 */
export const lockMethods = {
  /** Locks at once. Fails with `refused` where no password is set. */
  'lock.now': method(z.object({}), z.object({})),
  'lock.unlock': method(z.object({ password }), z.object({})),
  /** For whoever forgot the password: takes it away. Fails with `phrase_invalid`, `phrase_other_account`. */
  'lock.unlock-with-phrase': method(z.object({ phrase: z.string().min(1).max(5000) }), z.object({})),
  /** By the system's own question. Fails with `refused` where it has none, or the person was not recognised. */
  'lock.unlock-with-system': method(z.object({}), z.object({})),
  /** Sets a password, which turns the lock on, or another one in the place of the `current` one. */
  'lock.set-password': method(
    z.object({ password: password.min(LOCK_PASSWORD_LENGTH), current: password.optional() }),
    z.object({}),
  ),
  /** Turns the lock off. */
  'lock.remove': method(z.object({ current: password }), z.object({})),
  /** When it locks by itself, besides at each start; `idleMinutes` 0 for never. */
  'lock.configure': method(z.object({ locksOnClose: z.boolean(), idleMinutes: z.int().min(0).max(240) }), z.object({})),
} as const;
