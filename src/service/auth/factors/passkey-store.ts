import type { Kysely, Selectable } from 'kysely';
import { type NewAuditEntry, addAuditEntry } from '../../audit/audit-store.ts';
import type { SqlDatabase } from '../../database/sql-database.ts';
import type { PasskeyTable, Tables } from '../../database/tables.ts';

/** Passkeys that one person may have. */
const MOST_PASSKEYS = 20;

export interface Passkey {
  /** Of the credential, base64url. */
  readonly id: string;
  readonly userId: string;
  readonly friendlyName: string;
  /** A COSE key. */
  readonly publicKey: Buffer;
  readonly counter: number;
  /** How browsers reach it, as the browser said when it was added. */
  readonly transports: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

/** What a passkey is to sign. */
export interface PasskeyChallenge {
  /** What it is for, and the sign-in or its token: a newer challenge replaces an earlier one. */
  readonly subject: string;
  readonly userId: string;
  /** Base64url. */
  readonly challenge: string;
  /** The name of a passkey that is being added. */
  readonly friendlyName: string | undefined;
  readonly expiresAt: number;
}

/** Passkeys, which are second factors beside authenticator apps. */
export function createPasskeyStore({ queries, transaction }: SqlDatabase) {
  return {
    /** In the order in which they were added. */
    list: async (userId: string): Promise<readonly Passkey[]> => {
      const own = queries.selectFrom('passkey').selectAll().where('user_id', '=', userId);
      return (await own.orderBy('created_at').orderBy('id').execute()).map(passkeyOf);
    },
    /** Adds a passkey, unless somebody has it or the person has as many as one may have. */
    add: (passkey: Passkey, audit: NewAuditEntry): Promise<'added' | 'known' | 'too_many'> =>
      transaction(async (inside) => {
        const own = inside.queries.selectFrom('passkey').select('id').where('user_id', '=', passkey.userId);
        if ((await own.execute()).length >= MOST_PASSKEYS) return 'too_many';
        const { numInsertedOrUpdatedRows } = await inside.queries
          .insertInto('passkey')
          .values(rowOf(passkey))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if ((numInsertedOrUpdatedRows ?? 0n) === 0n) return 'known';
        await addAuditEntry(inside.queries, audit);
        return 'added';
      }),
    /** Records a use. Returns false if it is gone, or was used with this or a later count before; 0 is always valid after 0. */
    use: async (id: string, counter: number, now: number): Promise<boolean> => {
      const used = queries.updateTable('passkey').set({ counter, last_used_at: now }).where('id', '=', id);
      const { numUpdatedRows } = await used
        .where((where) => (counter === 0 ? where('counter', '=', 0) : where('counter', '<', counter)))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    remove: (userId: string, id: string, audit: NewAuditEntry): Promise<boolean> =>
      transaction(async (inside) => {
        const one = inside.queries.deleteFrom('passkey').where('id', '=', id).where('user_id', '=', userId);
        const { numDeletedRows } = await one.executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await addAuditEntry(inside.queries, audit);
        return true;
      }),
    ask: async ({ subject, userId, challenge, friendlyName, expiresAt }: PasskeyChallenge): Promise<void> => {
      const values = { user_id: userId, challenge, friendly_name: friendlyName ?? null, expires_at: expiresAt };
      await queries
        .insertInto('passkey_challenge')
        .values({ subject, ...values })
        .onConflict((conflict) => conflict.column('subject').doUpdateSet(values))
        .execute();
    },
    /** Takes a challenge, which is gone then; `undefined` if there is none, or it has expired. */
    take: async (subject: string, now: number): Promise<PasskeyChallenge | undefined> => {
      const row = await queries
        .deleteFrom('passkey_challenge')
        .where('subject', '=', subject)
        .returningAll()
        .executeTakeFirst();
      if (!row || row.expires_at <= now) return undefined;
      const { user_id: userId, challenge, friendly_name: friendlyName, expires_at: expiresAt } = row;
      return { subject, userId, challenge, friendlyName: friendlyName ?? undefined, expiresAt };
    },
    /** Deletes expired challenges. */
    prune: async (now: number): Promise<void> =>
      void (await queries.deleteFrom('passkey_challenge').where('expires_at', '<=', now).execute()),
  };
}

/** Deletes the passkeys of a person, and what they were to sign. */
export async function removePasskeys(queries: Kysely<Tables>, userId: string): Promise<void> {
  await queries.deleteFrom('passkey_challenge').where('user_id', '=', userId).execute();
  await queries.deleteFrom('passkey').where('user_id', '=', userId).execute();
}

function rowOf({
  id,
  userId,
  friendlyName,
  publicKey,
  counter,
  transports,
  createdAt,
  lastUsedAt,
}: Passkey): PasskeyTable {
  return {
    id,
    user_id: userId,
    friendly_name: friendlyName,
    public_key: publicKey,
    counter,
    transports_json: JSON.stringify(transports),
    created_at: createdAt,
    last_used_at: lastUsedAt ?? null,
  };
}

function passkeyOf(row: Selectable<PasskeyTable>): Passkey {
  return {
    id: row.id,
    userId: row.user_id,
    friendlyName: row.friendly_name,
    publicKey: row.public_key,
    counter: row.counter,
    transports: JSON.parse(row.transports_json) as readonly string[],
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
