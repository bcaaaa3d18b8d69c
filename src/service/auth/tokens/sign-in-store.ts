import type { Kysely } from 'kysely';
import { type NewAuditEntry, addAuditEntry } from '../../audit/audit-store.ts';
import type { SqlDatabase } from '../../database/sql-database.ts';
import type { Tables } from '../../database/tables.ts';

/** The client that holds a sign-in, as far as the service can tell. */
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

/** Sign-ins as their owner sees them; `token-store.ts` has their tokens. */
export function createSignInStore(database: SqlDatabase) {
  const { queries } = database;
  return {
    /** Records the client that used a sign-in last. */
    used: (familyId: string, client: SignInClient, now: number): Promise<void> =>
      recordClient(queries, familyId, client, now),
    /** Records that the second factor was proved in a sign-in. */
    proved: async (familyId: string, now: number): Promise<void> => {
      await queries.updateTable('token_family').set({ factor_at: now }).where('id', '=', familyId).execute();
    },
    /** Returns when it last was, with the sign-in itself; `undefined` for an unknown one. */
    provedAt: async (familyId: string): Promise<number | undefined> => {
      const row = await queries
        .selectFrom('token_family')
        .select('factor_at')
        .where('id', '=', familyId)
        .executeTakeFirst();
      return row?.factor_at;
    },
    /** Returns sign-ins that can still be renewed, the last used first. */
    list: async (userId: string, now: number): Promise<readonly StoredSignIn[]> => {
      const rows = await queries
        .selectFrom('token_family as family')
        .leftJoin('sign_in', 'sign_in.family_id', 'family.id')
        .select(['family.id', 'family.created_at', 'user_agent', 'address', 'last_used_at'])
        .where('family.user_id', '=', userId)
        .where('family.revoked_at', 'is', null)
        .where((check) =>
          check.exists(
            check
              .selectFrom('refresh_token')
              .select('refresh_token.family_id')
              .whereRef('refresh_token.family_id', '=', 'family.id')
              .where('spent_at', 'is', null)
              .where('expires_at', '>', now),
          ),
        )
        .execute();
      return rows
        .map((row) => ({
          id: row.id,
          createdAt: row.created_at,
          lastUsedAt: row.last_used_at ?? row.created_at,
          userAgent: row.user_agent ?? '',
          address: row.address ?? '',
        }))
        .toSorted((a, b) => b.lastUsedAt - a.lastUsedAt);
    },
    /** Returns false if the user has no such sign-in, or it had ended. */
    end: (userId: string, familyId: string, audit: NewAuditEntry): Promise<boolean> =>
      database.transaction(async (transaction) => {
        const ended = await transaction.queries
          .updateTable('token_family')
          .set({ revoked_at: audit.occurredAt })
          .where('id', '=', familyId)
          .where('user_id', '=', userId)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        if (ended.numUpdatedRows === 0n) return false;
        await addAuditEntry(transaction.queries, audit);
        return true;
      }),
  };
}

/** Records the client that used a sign-in last. */
export async function recordClient(
  queries: Kysely<Tables>,
  familyId: string,
  { userAgent, address }: SignInClient,
  now: number,
): Promise<void> {
  const used = { user_agent: userAgent, address, last_used_at: now };
  await queries
    .insertInto('sign_in')
    .values({ family_id: familyId, ...used })
    .onConflict((conflict) => conflict.column('family_id').doUpdateSet(used))
    .execute();
  const family = queries.selectFrom('token_family').select('user_id').where('id', '=', familyId);
  await queries.updateTable('user').set({ active_at: now }).where('id', '=', family).execute();
}

/** Sets a password. Voids what led past the earlier one: links for a new password, a factor that is being enrolled, and sign-ins. */
export async function replacePassword(
  queries: Kysely<Tables>,
  userId: string,
  { passwordHash, keepFamily, now }: { passwordHash: string; keepFamily?: string; now: number },
): Promise<void> {
  await queries.updateTable('user').set({ password_hash: passwordHash }).where('id', '=', userId).execute();
  await queries.deleteFrom('password_reset').where('user_id', '=', userId).execute();
  await queries.deleteFrom('pending_factor').where('user_id', '=', userId).execute();
  await endSignIns(queries, userId, keepFamily, now);
}

/** Ends all sign-ins of a user except for `kept`. */
export async function endSignIns(
  queries: Kysely<Tables>,
  userId: string,
  kept: string | undefined,
  now: number,
): Promise<void> {
  let ending = queries
    .updateTable('token_family')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null);
  if (kept !== undefined) ending = ending.where('id', '!=', kept);
  await ending.execute();
}
