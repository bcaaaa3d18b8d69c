import { newIdentifier } from '../identifier.ts';
import { addAuditEntry } from '../audit/audit-store.ts';
import type { SqlDatabase, SqlTransaction } from '../database/sql-database.ts';
import { hasEmail } from './same-email.ts';

export interface Account {
  readonly id: string;
  readonly number: number;
  readonly storageUsed: number;
}

export interface User {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly role: string;
}

export interface Factor {
  readonly id: string;
  readonly userId: string;
  readonly type: string;
  readonly friendlyName: string;
  /** Base32. */
  readonly secret: string;
}

export interface NewOwner {
  readonly email: string;
  readonly passwordHash: string;
  readonly totpSecret: string;
  /** Hex hashes. */
  readonly recoveryCodes?: readonly string[];
  readonly now: number;
}

export function createAccountStore(database: SqlDatabase) {
  const { queries, dialect, transaction } = database;
  const accounts = () => queries.selectFrom('account').select(['id', 'number', 'storage_used as storageUsed']);
  return {
    createAccount: (now: number): Promise<Account> =>
      transaction(async (inside) => {
        const id = newIdentifier('acc');
        return inside.queries
          .insertInto('account')
          .values({ id, created_at: now })
          .returning(['id', 'number', 'storage_used as storageUsed'])
          .executeTakeFirstOrThrow();
      }),
    findAccount: (id: string): Promise<Account | undefined> => accounts().where('id', '=', id).executeTakeFirst(),
    /** Finds the oldest account: that of the operator, even if it was erased. */
    firstAccount: (): Promise<Account | undefined> => accounts().orderBy('number').limit(1).executeTakeFirst(),
    /** Returns whether there is an account that was not erased. */
    hasAccount: async (): Promise<boolean> =>
      (await accounts().where('erased_at', 'is', null).limit(1).executeTakeFirst()) !== undefined,
    /** Creates account, owner and factor together; returns `undefined` if the e-mail address is taken. */
    createOwner: (owner: NewOwner): Promise<User | undefined> => transaction((inside) => createOwner(inside, owner)),
    userByEmail: (email: string): Promise<User | undefined> =>
      users(database).where(hasEmail(dialect, email)).executeTakeFirst(),
    user: (id: string): Promise<User | undefined> => users(database).where('id', '=', id).executeTakeFirst(),
    factorsOf: (userId: string): Promise<readonly Factor[]> =>
      factors(database).where('user_id', '=', userId).orderBy('created_at').orderBy('id').execute(),
    factor: (id: string): Promise<Factor | undefined> => factors(database).where('id', '=', id).executeTakeFirst(),
    /** Marks a TOTP time step as used; returns false if it or a later one was used before. */
    useStep: (factorId: string, step: number): Promise<boolean> =>
      transaction(async (inside) => {
        const { numUpdatedRows } = await inside.queries
          .updateTable('factor')
          .set({ last_step: step })
          .where('id', '=', factorId)
          .where('last_step', '<', step)
          .executeTakeFirst();
        return numUpdatedRows === 1n;
      }),
  };
}

async function createOwner(inside: SqlTransaction, owner: NewOwner): Promise<User | undefined> {
  const { queries, dialect } = inside;
  const { email, passwordHash, totpSecret, recoveryCodes = [], now } = owner;
  if (await users(inside).where(hasEmail(dialect, email)).executeTakeFirst()) return undefined;
  const accountId = newIdentifier('acc');
  const userId = newIdentifier('usr');
  await queries.insertInto('account').values({ id: accountId, created_at: now }).execute();
  await queries
    .insertInto('user')
    .values({ id: userId, account_id: accountId, email, password_hash: passwordHash, role: 'owner', created_at: now })
    .execute();
  await queries
    .insertInto('factor')
    .values({
      id: newIdentifier('fac'),
      user_id: userId,
      type: 'totp',
      friendly_name: 'Authenticator app',
      secret: totpSecret,
      created_at: now,
    })
    .execute();
  const codes = recoveryCodes.map((hash) => ({ user_id: userId, hash }));
  if (codes.length > 0) await queries.insertInto('recovery_code').values(codes).execute();
  await addAuditEntry(queries, { accountId, userId, occurredAt: now, kind: 'account.created' });
  return users(inside).where('id', '=', userId).executeTakeFirst();
}

function users({ queries }: Pick<SqlDatabase, 'queries'>) {
  return queries
    .selectFrom('user')
    .select(['id', 'account_id as accountId', 'email', 'password_hash as passwordHash', 'role']);
}

function factors({ queries }: Pick<SqlDatabase, 'queries'>) {
  return queries
    .selectFrom('factor')
    .select(['id', 'user_id as userId', 'type', 'friendly_name as friendlyName', 'secret']);
}
