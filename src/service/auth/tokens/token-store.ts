import { type NewAuditEntry, addAuditEntry } from '../../audit/audit-store.ts';
import type { SqlDatabase, SqlTransaction } from '../../database/sql-database.ts';
import { type SignInClient, recordClient } from './sign-in-store.ts';
import { DAY } from '../../../model/units.ts';

export type RefreshOutcome =
  | { readonly kind: 'renewed'; readonly userId: string; readonly familyId: string }
  | { readonly kind: 'refused' }
  /** A token that was spent earlier was used again: its whole family is revoked. */
  | { readonly kind: 'reused'; readonly userId: string; readonly familyId: string };

export interface TokenRotation {
  readonly hash: Buffer;
  readonly successor: NewRefreshToken;
  readonly now: number;
  /** Milliseconds for which a spent token is valid once more. */
  readonly grace: number;
  /** Recorded in the same transaction. */
  readonly client?: SignInClient;
}

export interface NewSignIn {
  readonly client: SignInClient;
  readonly audit: NewAuditEntry;
}

export interface NewRefreshToken {
  readonly hash: Buffer;
  readonly expiresAt: number;
}

/** Milliseconds after which failed attempts are forgotten. */
const ATTEMPT_LIFETIME = DAY;

export type TokenStore = ReturnType<typeof createTokenStore>;

export function createTokenStore(database: SqlDatabase) {
  const { queries, transaction } = database;
  return {
    /** @param signIn recorded in the same transaction */
    startFamily: (
      family: { id: string; userId: string },
      token: NewRefreshToken,
      now: number,
      signIn?: NewSignIn,
    ): Promise<void> =>
      transaction(async (inside) => {
        await inside.queries
          .insertInto('token_family')
          .values({ id: family.id, user_id: family.userId, created_at: now, factor_at: now })
          .execute();
        await addToken(inside, family.id, token, now);
        if (!signIn) return;
        await recordClient(inside.queries, family.id, signIn.client, now);
        await addAuditEntry(inside.queries, signIn.audit);
      }),
    /**
     * Spends a token and stores its successor. A spent token is valid once more within the grace period after its first use, for an agent that lost the response. The lost successor is then spent as well; using it, or any other spent token,
     * revokes the family.
     *
     * @param reuse creates the audit entry for the end of a family
     */
    rotate: (
      rotation: TokenRotation,
      reuse?: (userId: string, accountId: string) => NewAuditEntry,
    ): Promise<RefreshOutcome> =>
      transaction(async (inside) => {
        const outcome = await rotate(inside, rotation);
        const { client, now } = rotation;
        if (client && outcome.kind === 'renewed') await recordClient(inside.queries, outcome.familyId, client, now);
        if (outcome.kind !== 'reused' || !reuse) return outcome;
        const { account_id: accountId } = await inside.queries
          .selectFrom('user')
          .select('account_id')
          .where('id', '=', outcome.userId)
          .executeTakeFirstOrThrow();
        await addAuditEntry(inside.queries, reuse(outcome.userId, accountId));
        return outcome;
      }),
    familyIsLive: async (id: string): Promise<boolean> => {
      const live = await queries
        .selectFrom('token_family')
        .select('id')
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return live !== undefined;
    },
    ...createSpending(database),
  };
}

function createSpending({ queries, transaction }: SqlDatabase) {
  return {
    /** Spends a value that is valid once; returns false if it was spent before. */
    spend: async (what: string, expiresAt: number): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await queries
        .insertInto('spent')
        .values({ what, expires_at: expiresAt })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    /** Returns the time until which attempts at `subject` are refused; 0 if they are not. */
    blockedUntil: async (subject: string): Promise<number> => {
      const row = await queries
        .selectFrom('attempt')
        .select('blocked_until')
        .where('subject', '=', subject)
        .executeTakeFirst();
      return row?.blocked_until ?? 0;
    },
    /** Counts a failed attempt; `delay` returns for how long to block after a number of failures in a row. */
    fail: (subject: string, now: number, delay: (failures: number) => number): Promise<void> =>
      transaction(async (inside) => {
        const { failures } = await inside.queries
          .insertInto('attempt')
          .values({ subject, failures: 1, blocked_until: 0, updated_at: now })
          .onConflict((conflict) =>
            conflict.column('subject').doUpdateSet(({ eb }) => ({ failures: eb('attempt.failures', '+', 1) })),
          )
          .returning('failures')
          .executeTakeFirstOrThrow();
        await inside.queries
          .updateTable('attempt')
          .set({ blocked_until: now + delay(failures), updated_at: now })
          .where('subject', '=', subject)
          .execute();
      }),
    succeed: async (subject: string): Promise<void> => {
      await queries.deleteFrom('attempt').where('subject', '=', subject).execute();
    },
    /** Deletes expired rows, and sign-ins that cannot be renewed any more. */
    prune: async (now: number): Promise<void> => {
      await queries.deleteFrom('spent').where('expires_at', '<', now).execute();
      await queries.deleteFrom('refresh_token').where('expires_at', '<', now).execute();
      await transaction((inside) => pruneFamilies(inside));
      await queries
        .deleteFrom('attempt')
        .where('updated_at', '<', now - ATTEMPT_LIFETIME)
        .execute();
    },
  };
}

/** Deletes sign-ins that nobody can renew any more. Their access tokens have expired long before the last refresh token. */
async function pruneFamilies({ queries }: SqlTransaction): Promise<void> {
  const families = queries
    .selectFrom('token_family')
    .select('token_family.id')
    .where((check) =>
      check.not(
        check.exists(
          check
            .selectFrom('refresh_token')
            .select('refresh_token.family_id')
            .whereRef('refresh_token.family_id', '=', 'token_family.id'),
        ),
      ),
    );
  await queries.deleteFrom('sign_in').where('family_id', 'in', families).execute();
  await queries.deleteFrom('token_family').where('id', 'in', families).execute();
}

async function rotate(inside: SqlTransaction, { hash, successor, now, grace }: TokenRotation): Promise<RefreshOutcome> {
  const { queries } = inside;
  const token = await queries
    .selectFrom('refresh_token as t')
    .innerJoin('token_family as f', 'f.id', 't.family_id')
    .select(['f.id', 'f.user_id', 'f.revoked_at', 't.expires_at', 't.spent_at', 't.respent'])
    .where('t.hash', '=', hash)
    .executeTakeFirst();
  if (!token || token.revoked_at !== null || token.expires_at <= now) return { kind: 'refused' };
  const outcome = { userId: token.user_id, familyId: token.id };
  if (token.spent_at === null) {
    await queries.updateTable('refresh_token').set({ spent_at: now }).where('hash', '=', hash).execute();
  } else if (
    token.respent === 0 &&
    now - token.spent_at <= grace &&
    !(await spentLater(inside, token.id, token.spent_at))
  ) {
    // The lost successor is spent too: nobody else may use it.
    await queries
      .updateTable('refresh_token')
      .set((build) => ({ spent_at: build.fn.coalesce('spent_at', build.val(now)), respent: 1 }))
      .where('family_id', '=', token.id)
      .where((check) => check.or([check('spent_at', 'is', null), check('hash', '=', hash)]))
      .execute();
  } else {
    await revoke(inside, token.id, now);
    return { kind: 'reused', ...outcome };
  }
  await addToken(inside, token.id, successor, now);
  return { kind: 'renewed', ...outcome };
}

async function spentLater({ queries }: SqlTransaction, familyId: string, time: number): Promise<boolean> {
  const later = await queries
    .selectFrom('refresh_token')
    .select('hash')
    .where('family_id', '=', familyId)
    .where('spent_at', '>', time)
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}

async function addToken(
  { queries }: SqlTransaction,
  familyId: string,
  { hash, expiresAt }: NewRefreshToken,
  now: number,
): Promise<void> {
  await queries
    .insertInto('refresh_token')
    .values({ hash, family_id: familyId, created_at: now, expires_at: expiresAt })
    .execute();
}

async function revoke({ queries }: SqlTransaction, id: string, now: number): Promise<void> {
  await queries
    .updateTable('token_family')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
}
