import { randomBytes } from 'node:crypto';
import type { SqlDatabase } from '../database/sql-database.ts';

/** Returns the secret of a name; generates it, `bytes` long, if there is none. */
export async function findOrCreateSecret(database: SqlDatabase, name: string, bytes: number): Promise<Buffer> {
  const known = await database.queries.selectFrom('secret').select('value').where('name', '=', name).executeTakeFirst();
  return known?.value ?? claimSecret(database, name, randomBytes(bytes));
}

/** Stores a value under a name that has none; returns the stored value. */
export async function claimSecret({ transaction }: SqlDatabase, name: string, value: Buffer): Promise<Buffer> {
  return transaction(async ({ queries }) => {
    await queries
      .insertInto('secret')
      .values({ name, value })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const stored = await queries
      .selectFrom('secret')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return stored.value;
  });
}
