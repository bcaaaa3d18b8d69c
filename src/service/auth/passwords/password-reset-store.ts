import { type NewAuditEntry, addAuditEntry } from '../../audit/audit-store.ts';
import type { SqlDatabase } from '../../database/sql-database.ts';
import { replacePassword } from '../tokens/sign-in-store.ts';

/** A token that lets one person choose a new password, once. Times are milliseconds since the epoch. */
export interface NewPasswordReset {
  readonly userId: string;
  /** Hex. */
  readonly tokenHash: string;
  readonly expiresAt: number;
}

export function createPasswordResetStore({ queries, transaction }: SqlDatabase) {
  return {
    /** Replaces an earlier one of the user. */
    create: ({ userId, tokenHash, expiresAt }: NewPasswordReset, audit: NewAuditEntry): Promise<void> =>
      transaction(async (inside) => {
        await inside.queries.deleteFrom('password_reset').where('user_id', '=', userId).execute();
        await inside.queries
          .insertInto('password_reset')
          .values({ token_hash: tokenHash, user_id: userId, expires_at: expiresAt })
          .execute();
        await addAuditEntry(inside.queries, audit);
      }),
    /** Writes as much as `create` for nobody, so that nothing tells whether there is such a user. */
    pretend: (tokenHash: string, expiresAt: number): Promise<void> =>
      transaction(async (inside) => {
        await inside.queries.deleteFrom('password_reset').where('user_id', '=', tokenHash).execute();
        for (const what of ['token', 'entry']) {
          await inside.queries
            .insertInto('spent')
            .values({ what: `recover:${what}:${tokenHash}`, expires_at: expiresAt })
            .execute();
        }
      }),
    /** Returns the user of a valid token. */
    userOf: async (tokenHash: string, now: number): Promise<string | undefined> => {
      const valid = queries.selectFrom('password_reset').select('user_id').where('token_hash', '=', tokenHash);
      return (await valid.where('expires_at', '>', now).executeTakeFirst())?.user_id;
    },
    /** Uses the token up: sets the password and ends all sign-ins. Returns false if the token is not valid any more. */
    use: (
      tokenHash: string,
      {
        passwordHash,
        now,
        audit,
      }: { readonly passwordHash: string; readonly now: number; readonly audit: NewAuditEntry },
    ): Promise<boolean> =>
      transaction(async (inside) => {
        const used = await inside.queries
          .deleteFrom('password_reset')
          .where('token_hash', '=', tokenHash)
          .where('expires_at', '>', now)
          .returning('user_id')
          .executeTakeFirst();
        if (!used) return false;
        await replacePassword(inside.queries, used.user_id, { passwordHash, now });
        await addAuditEntry(inside.queries, audit);
        return true;
      }),
    /** Deletes tokens that are not valid any more. */
    prune: async (now: number): Promise<void> =>
      void (await queries.deleteFrom('password_reset').where('expires_at', '<=', now).execute()),
  };
}
