import { z } from 'zod';
import { method } from '../../../base/calls/contract.ts';
import { destinationId } from '../../../model/destination.ts';
import { lockPassword } from './lock.ts';

/** One of the destinations; by default the first. */
const atDestination = z.object({ destination: destinationId.optional() });

/** A computer that does not get the new key, by its id at that destination. */
const change = atDestination.extend({ revoke: z.string().min(1).optional() });
/** Without a passphrase, none opens the key any more. */
const passphrase = z.object({ passphrase: z.string().min(1).max(1000).optional() });

const code = z.object({
  /** Six words. */
  code: z.string(),
  /** Milliseconds since the epoch. */
  expires: z.number(),
  location: z.string(),
});
export type KeyCode = Readonly<z.infer<typeof code>>;

const changed = z.object({
  /** Names of destinations that get the new key with the next backup there. */
  later: z.array(z.string()),
  /** Names of computers that need the new recovery phrase. */
  needPhrase: z.array(z.string()),
  /** Names of services: their other computers get the new key after the next backup of this one there. */
  services: z.array(z.string()).readonly(),
  /** True if a passphrase opened the old key. None opens the new one. */
  lostPassphrase: z.boolean(),
});
export type KeyChange = Readonly<z.infer<typeof changed>>;

const passphraseChanged = z.object({
  /** Names of destinations that keep the old key file, which the old passphrase opens. */
  kept: z.array(z.string()),
  /** Names of destinations at which nothing was changed. */
  unchanged: z.array(z.string()),
});
export type PassphraseChange = Readonly<z.infer<typeof passphraseChanged>>;

/** Methods of the agent for the main process alone, which verifies the person first. */
export const privateKeyMethods = {
  'key.code': method(atDestination, code),
  'key.change': method(change, changed),
  'key.passphrase': method(passphrase, passphraseChanged),
} as const;

/**
 * What gives the key of the backups to others. The person is verified as by `shell.reveal-phrase`; the calls also fail with
 * `lock_password_needed`, and as `lock.unlock`.
 */
export const keyMethods = {
  /** Makes a one-time code with which a new computer gets the key. Fails with `usage` (`code-of-service`), `key_outdated`, `home_busy`. */
  'key.show-code': method(atDestination.extend(lockPassword.shape), code),
  /**
   * Changes the key at all destinations; a computer that is removed does not get it. Afterwards the new recovery phrase
   * counts as not written down. Fails with `usage`, `key_outdated`, `device_cloned`, `home_busy`.
   */
  'key.renew': method(change.extend(lockPassword.shape), changed),
  /** Sets, changes or removes the passphrase that opens the key. Fails with `usage`, `key_outdated`, `home_busy`. */
  'key.set-passphrase': method(passphrase.extend(lockPassword.shape), passphraseChanged),
} as const;
