import { z } from 'zod';
import type { Argon2idCost } from '../../base/crypto/argon2id.ts';
import { rolesByGroups } from './providers/roles-by-groups.ts';
import { DAY } from '../../model/units.ts';

/** An OpenID Connect provider for signing in. */
export const identityProvider = z.strictObject({
  /** Name in URLs and on buttons. */
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/),
  /** Issuer URL; its discovery document contains the rest. */
  issuer: z.url({ protocol: /^https?$/ }).refine(isSecret, 'has to be https:// (http:// on this machine only)'),
  clientId: z.string().min(1),
  /** `undefined` for a public client. */
  clientSecret: z.string().min(1).optional(),
  /** Without it people have the roles that owners and admins give them. */
  roles: rolesByGroups.optional(),
});
export type IdentityProvider = z.infer<typeof identityProvider>;

/** The provider's response decides a user's identity. */
function isSecret(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || hostname === '127.0.0.1' || hostname === '[::1]';
}

/** The operator's settings for accounts. */
export interface AccountSettings {
  /** True if anybody may create an account; otherwise the operator creates them, and people are invited. */
  readonly signup: boolean;
  readonly providers: readonly IdentityProvider[];
  /** Milliseconds without contact after which a device counts as offline. */
  readonly offlineAfter: number;
  /** Milliseconds between the request of an erasure and the erasure, at least. */
  readonly erasureWait: number;
  /** Milliseconds before a link for a new password is made and mailed, at most; how long in each case is random. */
  readonly resetDelay: number;
  /** The cost of new password hashes, by Argon2id (RFC 9106). */
  readonly passwordCost: Argon2idCost;
}

export const DEFAULT_ACCOUNT_SETTINGS: AccountSettings = {
  signup: false,
  providers: [],
  offlineAfter: 3 * DAY,
  erasureWait: 7 * DAY,
  resetDelay: 10_000,
  // 32 MiB and three passes take about 0.1 s per sign-in.
  passwordCost: { memoryKib: 32_768, iterations: 3, parallelism: 1 },
};
