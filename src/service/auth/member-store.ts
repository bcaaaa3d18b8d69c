import type { Kysely } from 'kysely';
import type { Role } from '../../protocol/accounts.ts';
import { newIdentifier } from '../identifier.ts';
import { type NewAuditEntry, addAuditEntry } from '../audit/audit-store.ts';
import type { Queries, SqlDatabase } from '../database/sql-database.ts';
import type { InvitationTable, Tables, UserTable } from '../database/tables.ts';
import type { User } from './account-store.ts';
import { hasEmail } from './same-email.ts';
import { removePasskeys } from './factors/passkey-store.ts';
import { replacePassword } from './tokens/sign-in-store.ts';

export interface NewUser {
  readonly email: string;
  /** Empty if the user signs in through an identity provider only. */
  readonly passwordHash: string;
  readonly now: number;
}

export interface StoredMember {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly factors: number;
  readonly createdAt: number;
  /** The last use of a sign-in; `undefined` if there was none. */
  readonly activeAt: number | undefined;
}

export interface StoredInvitation {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: number;
}

/** A user's identity at an identity provider. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** Why a member stays as they are: an account keeps one owner, or the member's role is not the expected one any more. */
export type MemberRefusal = 'last_owner' | 'other_role';

/** The users of accounts. An account keeps at least one owner. */
export function createMemberStore(database: SqlDatabase) {
  const { queries } = database;
  return {
    /** Creates an account with its owner, who has no second factor yet; returns `undefined` if the e-mail address is taken. */
    createAccount: (owner: NewUser, identity?: ProviderIdentity): Promise<User | undefined> =>
      database.transaction(async (transaction) => {
        if (await emailIsTaken(transaction, owner.email)) return undefined;
        const accountId = newIdentifier('acc');
        await transaction.queries.insertInto('account').values({ id: accountId, created_at: owner.now }).execute();
        const user = await addUser(transaction.queries, { accountId, role: 'owner' }, owner, identity);
        const audit = { accountId, occurredAt: owner.now, kind: 'account.created', userId: user.id } as const;
        await addAuditEntry(transaction.queries, audit);
        return user;
      }),
    list: (accountId: string): Promise<readonly StoredMember[]> => listMembers(queries, accountId),
    /** @param from the role that the decision is based on; with another one nothing changes */
    changeRole: (
      accountId: string,
      userId: string,
      role: Role,
      audit: NewAuditEntry,
      from?: string,
    ): Promise<'changed' | MemberRefusal | undefined> =>
      database.transaction(async (transaction) => {
        const found = await roleOf(transaction.queries, accountId, userId);
        if (found === undefined) return undefined;
        if (from !== undefined && found !== from) return 'other_role';
        if (found === 'owner' && role !== 'owner' && (await owners(transaction.queries, accountId)) === 1) {
          return 'last_owner';
        }
        await transaction.queries.updateTable('user').set({ role }).where('id', '=', userId).execute();
        await addAuditEntry(transaction.queries, audit);
        return 'changed';
      }),
    /** Removes a user with all credentials. @param from like that of `changeRole` */
    remove: (
      accountId: string,
      userId: string,
      audit: NewAuditEntry,
      from?: string,
    ): Promise<'removed' | MemberRefusal | undefined> =>
      database.transaction(async (transaction) => {
        const found = await roleOf(transaction.queries, accountId, userId);
        if (found === undefined) return undefined;
        if (from !== undefined && found !== from) return 'other_role';
        if (found === 'owner' && (await owners(transaction.queries, accountId)) === 1) return 'last_owner';
        await removeUser(transaction.queries, userId);
        await addAuditEntry(transaction.queries, audit);
        return 'removed';
      }),
    /** Also ends all sign-ins of the user except for `keepFamily`, and voids links for a new password. */
    setPassword: (
      userId: string,
      passwordHash: string,
      { keepFamily, now, audit }: { keepFamily: string; now: number; audit: NewAuditEntry },
    ): Promise<void> =>
      database.transaction(async (transaction) => {
        await replacePassword(transaction.queries, userId, { passwordHash, keepFamily, now });
        await addAuditEntry(transaction.queries, audit);
      }),
    ...invitationQueries(database),
    userByIdentity: async ({ issuer, subject }: ProviderIdentity): Promise<User | undefined> => {
      const row = await queries
        .selectFrom('identity')
        .innerJoin('user', 'user.id', 'identity.user_id')
        .selectAll('user')
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .executeTakeFirst();
      return row && userOf(row);
    },
    linkIdentity: (userId: string, identity: ProviderIdentity, audit: NewAuditEntry): Promise<void> =>
      database.transaction(async (transaction) => {
        await transaction.queries
          .insertInto('identity')
          .values({ ...identity, user_id: userId })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        await addAuditEntry(transaction.queries, audit);
      }),
  };
}

function invitationQueries(database: SqlDatabase) {
  const { queries, dialect } = database;
  return {
    /** Replaces an earlier invitation of the same e-mail address to the account. `tokenHash` is hex. */
    invite: (
      { id, accountId, email, role, expiresAt }: StoredInvitation,
      tokenHash: string,
      audit: NewAuditEntry,
    ): Promise<void> =>
      database.transaction(async (transaction) => {
        await transaction.queries
          .deleteFrom('invitation')
          .where('account_id', '=', accountId)
          .where(hasEmail(dialect, email))
          .execute();
        const row = { id, account_id: accountId, email, role, token_hash: tokenHash };
        await transaction.queries
          .insertInto('invitation')
          .values({ ...row, created_at: audit.occurredAt, expires_at: expiresAt })
          .execute();
        await addAuditEntry(transaction.queries, audit);
      }),
    invitations: async (accountId: string, now: number): Promise<readonly StoredInvitation[]> => {
      const good = queries.selectFrom('invitation').selectAll().where('expires_at', '>', now);
      const rows = await good.where('account_id', '=', accountId).orderBy('created_at').orderBy('id').execute();
      return rows.map(invitationOf);
    },
    withdraw: (accountId: string, id: string, audit: NewAuditEntry): Promise<boolean> =>
      database.transaction(async (transaction) => {
        const gone = transaction.queries.deleteFrom('invitation').where('id', '=', id);
        const { numDeletedRows } = await gone.where('account_id', '=', accountId).executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await addAuditEntry(transaction.queries, audit);
        return true;
      }),
    invitationByToken: async (tokenHash: string, now: number): Promise<StoredInvitation | undefined> => {
      const good = queries.selectFrom('invitation').selectAll().where('expires_at', '>', now);
      const row = await good.where('token_hash', '=', tokenHash).executeTakeFirst();
      return row && invitationOf(row);
    },
    /** Deletes invitations that are not valid any more. */
    pruneInvitations: async (now: number): Promise<void> =>
      void (await queries.deleteFrom('invitation').where('expires_at', '<=', now).execute()),
    /** Makes the invited person a member, once; returns `undefined` if the invitation is gone or the e-mail address is taken. */
    accept: (id: string, user: NewUser, identity?: ProviderIdentity): Promise<User | undefined> =>
      database.transaction(async (transaction) => {
        if (await emailIsTaken(transaction, user.email)) return undefined;
        const taken = await transaction.queries
          .deleteFrom('invitation')
          .where('id', '=', id)
          .where('expires_at', '>', user.now)
          .returningAll()
          .executeTakeFirst();
        if (!taken) return undefined;
        const { account_id: accountId, role } = taken;
        const joined = await addUser(transaction.queries, { accountId, role }, user, identity);
        const audit = { accountId, occurredAt: user.now, kind: 'member.joined', userId: joined.id } as const;
        await addAuditEntry(transaction.queries, { ...audit, details: { role } });
        return joined;
      }),
  };
}

async function listMembers(queries: Kysely<Tables>, accountId: string): Promise<readonly StoredMember[]> {
  const rows = await queries
    .selectFrom('user')
    .leftJoin('factor', 'factor.user_id', 'user.id')
    .select(['user.id', 'user.email', 'user.role', 'user.created_at', 'user.active_at'])
    .select((select) => select.fn.count<number>('factor.id').as('factors'))
    .where('account_id', '=', accountId)
    .groupBy(['user.id', 'user.email', 'user.role', 'user.created_at', 'user.active_at'])
    .orderBy('user.created_at')
    .orderBy('user.id')
    .execute();
  return rows.map(({ id, email, role, created_at: createdAt, active_at: activeAt, factors }) => ({
    id,
    email,
    role,
    createdAt,
    activeAt: activeAt ?? undefined,
    factors,
  }));
}

async function addUser(
  queries: Kysely<Tables>,
  { accountId, role }: Pick<User, 'accountId' | 'role'>,
  { email, passwordHash, now }: NewUser,
  identity: ProviderIdentity | undefined,
): Promise<User> {
  const id = newIdentifier('usr');
  await queries
    .insertInto('user')
    .values({ id, account_id: accountId, email, password_hash: passwordHash, role, created_at: now })
    .execute();
  if (identity) {
    await queries
      .insertInto('identity')
      .values({ ...identity, user_id: id })
      .execute();
  }
  return { id, accountId, email, passwordHash, role };
}

/** Deletes a user with all credentials. */
export async function removeUser(queries: Kysely<Tables>, userId: string): Promise<void> {
  const families = queries.selectFrom('token_family').select('id').where('user_id', '=', userId);
  await queries.deleteFrom('refresh_token').where('family_id', 'in', families).execute();
  await queries.deleteFrom('sign_in').where('family_id', 'in', families).execute();
  await queries.deleteFrom('token_family').where('user_id', '=', userId).execute();
  await queries.deleteFrom('password_reset').where('user_id', '=', userId).execute();
  await queries.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
  await queries.deleteFrom('pending_factor').where('user_id', '=', userId).execute();
  await queries.deleteFrom('factor').where('user_id', '=', userId).execute();
  await removePasskeys(queries, userId);
  await queries.deleteFrom('identity').where('user_id', '=', userId).execute();
  await queries.deleteFrom('user').where('id', '=', userId).execute();
}

async function emailIsTaken({ queries, dialect }: Queries, email: string): Promise<boolean> {
  const user = queries.selectFrom('user').select('id').where(hasEmail(dialect, email));
  return (await user.executeTakeFirst()) !== undefined;
}

async function roleOf(queries: Kysely<Tables>, accountId: string, userId: string): Promise<string | undefined> {
  const one = queries.selectFrom('user').select('role').where('id', '=', userId);
  return (await one.where('account_id', '=', accountId).executeTakeFirst())?.role;
}

async function owners(queries: Kysely<Tables>, accountId: string): Promise<number> {
  const all = queries.selectFrom('user').select('id').where('account_id', '=', accountId);
  return (await all.where('role', '=', 'owner').execute()).length;
}

function userOf({
  id,
  account_id: accountId,
  email,
  password_hash: passwordHash,
  role,
}: Omit<UserTable, 'active_at'>): User {
  return { id, accountId, email, passwordHash, role };
}

function invitationOf({ id, account_id: accountId, email, role, expires_at: expiresAt }: InvitationTable) {
  const invitation: StoredInvitation = { id, accountId, email, role: role as Role, expiresAt };
  return invitation;
}
