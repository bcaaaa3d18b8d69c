import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { newIdentifier } from '../../identifier.ts';
import type { AccountStore, NewOwner, User } from '../metadata-store.ts';
import { addAuditEntry } from '../audit/audit.ts';
import type { SqlDatabase, SqlDialect, SqlTransaction } from '../database/sql-database.ts';

export function createSqlAccountStore(database: SqlDatabase): AccountStore {
  const { queries, dialect, transaction } = database;
  const accounts = () => queries.selectFrom('account').select(['id', 'number', 'storage_used as storageUsed']);
  return {
    createAccount: (now) =>
      transaction(async (inside) => {
        const id = newIdentifier('acc');
        return inside.queries
          .insertInto('account')
          .values({ id, created_at: now })
          .returning(['id', 'number', 'storage_used as storageUsed'])
          .executeTakeFirstOrThrow();
      }),
    findAccount: (id) => accounts().where('id', '=', id).executeTakeFirst(),
    firstAccount: () => accounts().orderBy('number').limit(1).executeTakeFirst(),
    createOwner: (owner) => transaction((inside) => createOwner(inside, owner)),
    userByEmail: (email) => users(database).where(hasEmail(dialect, email)).executeTakeFirst(),
    user: (id) => users(database).where('id', '=', id).executeTakeFirst(),
    factorsOf: (userId) =>
      factors(database).where('user_id', '=', userId).orderBy('created_at').orderBy('id').execute(),
    factor: (id) => factors(database).where('id', '=', id).executeTakeFirst(),
    useStep: (factorId, step) =>
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

/** Whether an e-mail is that of a row of `user`, whatever the case of its ASCII letters; each database by its index. */
function hasEmail(dialect: SqlDialect, email: string): RawBuilder<boolean> {
  if (dialect === 'sqlite') return sql`email = ${email}`;
  return sql`lower(email COLLATE "C") = lower(${email}::text COLLATE "C")`;
}

async function createOwner(inside: SqlTransaction, owner: NewOwner): Promise<User | undefined> {
  const { queries, dialect } = inside;
  const { email, passwordHash, totpSecret, now } = owner;
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
