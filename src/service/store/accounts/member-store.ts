import type { Role } from '../../../protocol/accounts.ts';
import type { NewAuditEntry } from '../audit/audit-store.ts';
import type { User } from '../metadata-store.ts';

export interface NewUser {
  readonly email: string;
  /** Empty where the person signs in through an identity provider only. */
  readonly passwordHash: string;
  readonly now: number;
}

export interface StoredMember {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly factors: number;
  readonly createdAt: number;
}

export interface StoredInvitation {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: number;
}

/** A person as an identity provider knows them. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** The people of accounts. An account keeps one owner at least. */
export interface MemberStore {
  /** Makes an account with its owner, who has no second factor yet; nothing where the e-mail is taken. */
  createAccount(owner: NewUser, identity?: ProviderIdentity): Promise<User | undefined>;
  list(accountId: string): Promise<readonly StoredMember[]>;
  changeRole(
    accountId: string,
    userId: string,
    role: Role,
    audit: NewAuditEntry,
  ): Promise<'changed' | 'last_owner' | undefined>;
  /** With everything that lets them in. */
  remove(accountId: string, userId: string, audit: NewAuditEntry): Promise<'removed' | 'last_owner' | undefined>;
  /** Ends all sign-ins of the user but that of `keepFamily`. */
  setPassword(
    userId: string,
    passwordHash: string,
    change: { keepFamily: string; now: number; audit: NewAuditEntry },
  ): Promise<void>;
  /** In the place of an earlier invitation of the same e-mail to the account. `tokenHash` is hex. */
  invite(invitation: StoredInvitation, tokenHash: string, audit: NewAuditEntry): Promise<void>;
  invitations(accountId: string, now: number): Promise<readonly StoredInvitation[]>;
  withdraw(accountId: string, id: string, audit: NewAuditEntry): Promise<boolean>;
  invitationByToken(tokenHash: string, now: number): Promise<StoredInvitation | undefined>;
  /** The newest that is good. */
  invitationByEmail(email: string, now: number): Promise<StoredInvitation | undefined>;
  /** Makes the invited person a member, once; nothing where the invitation is gone or the e-mail is taken. */
  accept(invitationId: string, user: NewUser, identity?: ProviderIdentity): Promise<User | undefined>;
  userByIdentity(identity: ProviderIdentity): Promise<User | undefined>;
  linkIdentity(userId: string, identity: ProviderIdentity, audit: NewAuditEntry): Promise<void>;
}
