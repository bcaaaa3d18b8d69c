import { randomBytes } from 'node:crypto';
import type { SqlDatabase } from './sql-database.ts';

/** Returns the secret of a name; generates it, `bytes` long, if there is none. */
export async function findOrCreateSecret(database: SqlDatabase, name: string, bytes: number): Promise<Buffer> {
  return (await findSecret(database, name)) ?? claimSecret(database, name, randomBytes(bytes));
}

export async function findSecret({ queries }: SqlDatabase, name: string): Promise<Buffer | undefined> {
  const known = await queries.selectFrom('secret').select('value').where('name', '=', name).executeTakeFirst();
  return known?.value;
}

/** Stores a value in the place of any other. */
export async function replaceSecret({ transaction }: SqlDatabase, name: string, value: Buffer): Promise<void> {
  await transaction(async ({ queries }) => {
    await queries
      .insertInto('secret')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  });
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
