import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';
import { factor } from './setup.ts';

/** The progress of a sign-in: a second factor is needed, or it is complete. */
export const personStep = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('factors'), factors: z.array(factor) }),
  z.object({ kind: z.literal('signed-in'), email: z.string() }),
]);
export type PersonStep = Readonly<z.infer<typeof personStep>>;

/** One sign-in to the account. */
export const accountSession = z.object({
  id: z.string(),
  /** The name that the program reported, such as a browser's user agent; may be empty. */
  userAgent: z.string(),
  /** As the service saw it; may be empty. */
  address: z.string(),
  /** ISO 8601. */
  createdAt: z.string(),
  lastUsedAt: z.string(),
  /** The one that asks. */
  isThisOne: z.boolean(),
});
export type AccountSession = Readonly<z.infer<typeof accountSession>>;

/**
 * The account that backups go to. A computer that signs in by a key of its own has no say over it: a person signs in for
 * that, and is forgotten after ten minutes, or when `account.leave` says so. Without a service everything is `refused`
 * (`no-service`).
 */
export const accountMethods = {
  /** Who this computer is to the service. Nothing is asked there. `email` where it is known. */
  'account.show': method(
    z.object({}),
    z.object({ email: z.string().optional(), signsInBy: z.enum(['key', 'person']) }),
  ),
  /** How people can sign in, and whether the service tells where they are signed in. Fails with `service_*`. */
  'account.ways': method(
    z.object({}),
    z.object({ password: z.boolean(), provider: z.boolean(), hasSessions: z.boolean() }),
  ),
  /** Fails with `password_wrong`, `service_*`. */
  'account.sign-in': method(z.object({ email: z.string().min(1), password: z.string().min(1) }), personStep),
  /** Fails with `code_wrong`, `signed_out` (the time for it is over: begin again). */
  'account.verify-factor': method(z.object({ factor: z.string().min(1), code: z.string().min(1) }), personStep),
  /** In the system's browser. Answers when the person is back; fails with `provider_refused`, or `interrupted` after `account.leave`. */
  'account.sign-in-with-provider': method(z.object({}), personStep),
  /** Forgets who signed in, and ends that sign-in at the service. Gives up one that is under way. */
  'account.leave': method(z.object({}), z.object({})),
  /**
   * Keeps the sign-in of whoever signed in, in the place of this computer's own that is over. Fails with `device_refused`
   * where this computer signs in by a key, `signed_out`, `usage` (`device-unknown`).
   */
  'account.sign-in-again': method(z.object({}), z.object({})),
  /**
   * Where the person is signed in, the last used first. Fails with `signed_out` where nobody has signed in for it, and with
   * `refused` (`no-sessions`) where the service does not tell.
   */
  'account.sessions': method(z.object({}), z.object({ email: z.string(), sessions: z.array(accountSession) })),
  /** Ends one; one that has ended already is as good. */
  'account.end-session': method(z.object({ id: z.string().min(1) }), z.object({})),
  /** Ends all but the one that asks. */
  'account.end-other-sessions': method(z.object({}), z.object({})),
} as const;
