import { z } from 'zod';

/** An OpenID Connect provider that people may sign in through. */
export const identityProvider = z.strictObject({
  /** How it is called in addresses and on buttons. */
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/),
  /** Its issuer address; the rest follows from its discovery document. */
  issuer: z.url({ protocol: /^https?$/ }).refine(isSecret, 'has to be https:// (http:// on this machine only)'),
  clientId: z.string().min(1),
  /** Nothing for a public client. */
  clientSecret: z.string().min(1).optional(),
});
export type IdentityProvider = z.infer<typeof identityProvider>;

/** What the provider says decides who somebody is. */
function isSecret(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || hostname === '127.0.0.1' || hostname === '[::1]';
}

/** What the operator of a service decides about its accounts. */
export interface AccountSettings {
  /** Whether anybody may make an account; otherwise the operator makes them, and people are invited. */
  readonly signup: boolean;
  readonly providers: readonly IdentityProvider[];
  /** Milliseconds after which a device that nobody has heard of counts as offline. */
  readonly offlineAfter: number;
}

export const DEFAULT_ACCOUNT_SETTINGS: AccountSettings = {
  signup: false,
  providers: [],
  offlineAfter: 3 * 24 * 3_600_000,
};
