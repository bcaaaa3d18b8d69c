import type { Kysely } from 'kysely';
import type { EmittedEvent } from '../../../protocol/webhooks.ts';
import { type NewAuditEntry, addAuditEntry } from '../../audit/audit-store.ts';
import type { SqlDatabase } from '../../database/sql-database.ts';
import type { Tables } from '../../database/tables.ts';
import { removePasskeys } from './passkey-store.ts';
import { endSignIns } from '../tokens/sign-in-store.ts';

/** A factor that has not been confirmed by a code yet. */
export interface PendingFactor {
  readonly id: string;
  readonly userId: string;
  readonly friendlyName: string;
  /** Base32. */
  readonly secret: string;
  readonly expiresAt: number;
}

/** Enrolment and removal of second factors, and recovery codes; `account-store.ts` has what signing in needs. */
export function createSecondFactorStore(database: SqlDatabase) {
  const { queries } = database;
  return {
    /** Replaces one that the user had not finished enrolling. */
    enrol: ({ id, userId, friendlyName, secret, expiresAt }: PendingFactor): Promise<void> =>
      database.transaction(async (transaction) => {
        await transaction.queries.deleteFrom('pending_factor').where('user_id', '=', userId).execute();
        await transaction.queries
          .insertInto('pending_factor')
          .values({ id, user_id: userId, friendly_name: friendlyName, secret, expires_at: expiresAt })
          .execute();
      }),
    pending: async (id: string): Promise<PendingFactor | undefined> => {
      const row = await queries.selectFrom('pending_factor').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) return undefined;
      const { user_id: userId, friendly_name: friendlyName, secret, expires_at: expiresAt } = row;
      return { id, userId, friendlyName, secret, expiresAt };
    },
    /**
     * Activates a pending factor; `step` is the TOTP time step of the code that confirmed it. The recovery codes are stored if the
     * user has none yet.
     */
    activate: activation(database),
    /** Removes a factor unless it is the user's last one. */
    remove: (userId: string, factorId: string, audit: NewAuditEntry): Promise<'removed' | 'last' | undefined> =>
      database.transaction(async (transaction) => {
        const factors = await factorIds(transaction.queries, userId);
        if (!factors.includes(factorId)) return undefined;
        if (factors.length === 1) return 'last';
        await transaction.queries.deleteFrom('factor').where('id', '=', factorId).execute();
        await addAuditEntry(transaction.queries, audit);
        return 'removed';
      }),
    /** Removes all factors, passkeys and recovery codes and ends every sign-in; returns false if there were no factors. */
    reset: (
      userId: string,
      { now, event, audit }: { now: number; event: EmittedEvent; audit: NewAuditEntry },
    ): Promise<boolean> =>
      database.transaction(async (transaction) => {
        await transaction.queries.deleteFrom('pending_factor').where('user_id', '=', userId).execute();
        await transaction.queries.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
        await removePasskeys(transaction.queries, userId);
        const removed = await transaction.queries.deleteFrom('factor').where('user_id', '=', userId).executeTakeFirst();
        if (removed.numDeletedRows === 0n) return false;
        await endSignIns(transaction.queries, userId, undefined, now);
        await addAuditEntry(transaction.queries, audit);
        await transaction.emit({ accountId: audit.accountId, occurredAt: now, event });
        return true;
      }),
    /** `hashes` are hex. */
    replaceRecoveryCodes: (userId: string, hashes: readonly string[], audit: NewAuditEntry): Promise<void> =>
      database.transaction(async (transaction) => {
        await transaction.queries.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
        await addRecoveryCodes(transaction.queries, userId, hashes);
        await addAuditEntry(transaction.queries, audit);
      }),
    recoveryCodesLeft: (userId: string): Promise<number> => recoveryCodesOf(queries, userId),
    /** Returns false if the user has no such code, or it was used before. */
    useRecoveryCode: (userId: string, hash: string, audit: NewAuditEntry): Promise<boolean> =>
      database.transaction(async (transaction) => {
        const used = await transaction.queries
          .deleteFrom('recovery_code')
          .where('user_id', '=', userId)
          .where('hash', '=', hash)
          .executeTakeFirst();
        if (used.numDeletedRows === 0n) return false;
        await addAuditEntry(transaction.queries, audit);
        return true;
      }),
  };
}

function activation(database: SqlDatabase) {
  return (
    id: string,
    {
      step,
      recoveryCodes,
      now,
      audit,
    }: { step: number; recoveryCodes: readonly string[]; now: number; audit: NewAuditEntry },
  ): Promise<'activated' | 'activated_with_codes' | undefined> =>
    database.transaction(async ({ queries }) => {
      const pending = await queries.deleteFrom('pending_factor').where('id', '=', id).returningAll().executeTakeFirst();
      if (!pending) return undefined;
      const { user_id: userId, friendly_name: name, secret } = pending;
      await queries
        .insertInto('factor')
        .values({
          id,
          user_id: userId,
          type: 'totp',
          friendly_name: name,
          secret,
          last_step: step,
          created_at: now,
        })
        .execute();
      await addAuditEntry(queries, audit);
      if ((await recoveryCodesOf(queries, userId)) > 0) return 'activated';
      await addRecoveryCodes(queries, userId, recoveryCodes);
      return 'activated_with_codes';
    });
}

async function factorIds(queries: Kysely<Tables>, userId: string): Promise<string[]> {
  const rows = await queries.selectFrom('factor').select('id').where('user_id', '=', userId).execute();
  return rows.map(({ id }) => id);
}

async function recoveryCodesOf(queries: Kysely<Tables>, userId: string): Promise<number> {
  const { count } = await queries
    .selectFrom('recovery_code')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return count;
}

async function addRecoveryCodes(queries: Kysely<Tables>, userId: string, hashes: readonly string[]): Promise<void> {
  await queries
    .insertInto('recovery_code')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute();
}
