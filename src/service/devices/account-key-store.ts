import type { Kysely } from 'kysely';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { Tables } from '../database/tables.ts';

export interface KeyClaim {
  readonly accountId: string;
  readonly deviceId: string;
  readonly keyId: string;
  readonly now: number;
}

/** The keys that the first computers of accounts claimed at their set-up. */
export function createAccountKeyStore({ queries, transaction }: SqlDatabase) {
  return {
    /**
     * Returns the id of the claimed key. A claim is void when its device is revoked or erased and the account has no restore point: then
     * nothing was stored with the key, and perhaps nobody has it.
     */
    find: (accountId: string): Promise<string | undefined> => claimedKey(queries, accountId),
    /** Claims a key unless another one is claimed; returns the claimed one. */
    claim: ({ accountId, deviceId, keyId, now }: KeyClaim): Promise<string> =>
      transaction(async (inside) => {
        const claimed = await claimedKey(inside.queries, accountId);
        if (claimed !== undefined) return claimed;
        const claim = { key_id: keyId, device_id: deviceId, claimed_at: now };
        await inside.queries
          .insertInto('account_key')
          .values({ account_id: accountId, ...claim })
          .onConflict((conflict) => conflict.column('account_id').doUpdateSet(claim))
          .execute();
        return keyId;
      }),
  };
}

async function claimedKey(queries: Kysely<Tables>, accountId: string): Promise<string | undefined> {
  const claim = await queries
    .selectFrom('account_key')
    .leftJoin('device', 'device.id', 'account_key.device_id')
    .select(['account_key.key_id', 'device.id', 'device.revoked_at'])
    .where('account_key.account_id', '=', accountId)
    .executeTakeFirst();
  if (!claim) return undefined;
  if (claim.id !== null && claim.revoked_at === null) return claim.key_id;
  const point = await queries
    .selectFrom('session')
    .select('number')
    .where('account_id', '=', accountId)
    .where('sequence', 'is not', null)
    .where('removed_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return point && claim.key_id;
}
