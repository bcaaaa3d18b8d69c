import { z } from 'zod';
import { method } from '../../../base/calls/contract.ts';
import { destinationId } from '../../../model/destination.ts';
import { factor } from '../setup.ts';

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
  /** The address as the service saw it; may be empty. */
  address: z.string(),
  /** ISO 8601. */
  createdAt: z.string(),
  lastUsedAt: z.string(),
  /** The sign-in that makes this request. */
  isThisOne: z.boolean(),
});
export type AccountSession = Readonly<z.infer<typeof accountSession>>;

const at = { destination: destinationId.optional() };

/**
 * The account that owns the backups at a service; by default at the first destination that is one. A computer that signs in with a device key cannot manage it: a person signs in for
 * that, and that sign-in is forgotten after ten minutes or by `account.leave`. Without a service everything fails with
 * `refused` (`no-service`).
 */
export const accountMethods = {
  /** Returns the identity of this computer at the service, without a request. `email` is set if it is known. */
  'account.show': method(
    z.object(at),
    z.object({ email: z.string().optional(), signsInBy: z.enum(['key', 'person']) }),
  ),
  /** Returns the methods of sign-in, and whether the service lists the sign-ins of a person. Fails with `service_*`. */
  'account.ways': method(
    z.object(at),
    z.object({ password: z.boolean(), provider: z.boolean(), hasSessions: z.boolean() }),
  ),
  /** Fails with `password_wrong`, `service_*`. */
  'account.sign-in': method(z.object({ email: z.string().min(1), password: z.string().min(1), ...at }), personStep),
  /** Fails with `code_wrong`, `signed_out` (the time limit has passed: begin again). */
  'account.verify-factor': method(z.object({ factor: z.string().min(1), code: z.string().min(1) }), personStep),
  /**
   * Signs in with the system's browser. Returns when the person is back; fails with `provider_refused`, or `interrupted`
   * after `account.leave`.
   */
  'account.sign-in-with-provider': method(z.object(at), personStep),
  /** Forgets the person who signed in, and ends that sign-in at the service. Cancels one in progress. */
  'account.leave': method(z.object({}), z.object({})),
  /**
   * Replaces this computer's expired sign-in by that of the person who signed in. Fails with `device_refused` if this
   * computer signs in with a device key, `signed_out`, `usage` (`device-unknown`).
   */
  'account.sign-in-again': method(z.object(at), z.object({})),
  /**
   * Lists the person's sign-ins, the last used first. Fails with `signed_out` if nobody has signed in, and with `refused`
   * (`no-sessions`) if the service does not list them.
   */
  'account.sessions': method(z.object(at), z.object({ email: z.string(), sessions: z.array(accountSession) })),
  /** Ends a sign-in. Succeeds if it has ended already. */
  'account.end-session': method(z.object({ id: z.string().min(1), ...at }), z.object({})),
  /** Ends all sign-ins but the one that makes this request. */
  'account.end-other-sessions': method(z.object(at), z.object({})),
} as const;
