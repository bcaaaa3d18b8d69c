import type { NewAuditEntry } from '../audit/audit-store.ts';
import type { SignInClient } from './sign-in-store.ts';

export type RefreshOutcome =
  | { readonly kind: 'renewed'; readonly userId: string; readonly familyId: string }
  | { readonly kind: 'refused' }
  /** A token that was spent long ago came back: its whole family is revoked. */
  | { readonly kind: 'reused'; readonly userId: string; readonly familyId: string };

export interface TokenStore {
  /** @param signIn who signed in, kept with the family or not at all */
  startFamily(
    family: { id: string; userId: string },
    token: NewRefreshToken,
    now: number,
    signIn?: NewSignIn,
  ): Promise<void>;
  /**
   * Spends the token with `hash` and stores its successor. A spent one is good once more within `grace` milliseconds of
   * its first use, for an agent that lost the answer; the successor that was lost is then worth nothing, and ends the
   * family where it is used after all, as does one that was used already.
   *
   * @param reuse what is kept with the end of a family
   */
  rotate(
    hash: Buffer,
    successor: NewRefreshToken,
    now: number,
    grace: number,
    reuse?: (userId: string, accountId: string) => NewAuditEntry,
  ): Promise<RefreshOutcome>;
  familyIsLive(id: string): Promise<boolean>;
  revokeFamily(id: string, now: number): Promise<void>;
  /** Takes something that is good once; false where it was taken before. */
  spend(what: string, expiresAt: number): Promise<boolean>;
  /** Until when guesses at `subject` are refused; 0 where they are not. */
  blockedUntil(subject: string): Promise<number>;
  /** Counts a wrong guess; `delay` tells from the number of failures in a row for how long to block. */
  fail(subject: string, now: number, delay: (failures: number) => number): Promise<void>;
  succeed(subject: string): Promise<void>;
  /** Drops what has expired. */
  prune(now: number): Promise<void>;
}

export interface NewSignIn {
  readonly client: SignInClient;
  readonly audit: NewAuditEntry;
}

export interface NewRefreshToken {
  readonly hash: Buffer;
  readonly expiresAt: number;
}
