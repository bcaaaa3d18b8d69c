import type { NewAuditEntry } from '../audit/audit-store.ts';

/** Who holds a sign-in, as far as the service can know. */
export interface SignInClient {
  readonly userAgent: string;
  readonly address: string;
}

export interface StoredSignIn extends SignInClient {
  /** The family of its tokens. */
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

/** Sign-ins as their owner sees them; their tokens are the business of `TokenStore`. */
export interface SignInStore {
  /** By this client, now. */
  used(familyId: string, client: SignInClient, now: number): Promise<void>;
  /** Those that can still be renewed, the last used first. */
  list(userId: string, now: number): Promise<readonly StoredSignIn[]>;
  /** False where the user has no such sign-in, or it had ended. */
  end(userId: string, familyId: string, audit: NewAuditEntry): Promise<boolean>;
}
