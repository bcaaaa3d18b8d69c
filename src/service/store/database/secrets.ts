import { randomBytes } from 'node:crypto';
import type { MetadataStore } from '../metadata-store.ts';
import type { SqlDatabase } from './sql-database.ts';

export function createSecrets({ queries: outside, transaction }: SqlDatabase): MetadataStore['secret'] {
  return async (name, bytes) => {
    const known = await outside.selectFrom('secret').select('value').where('name', '=', name).executeTakeFirst();
    if (known) return known.value;
    return transaction(async ({ queries }) => {
      await queries
        .insertInto('secret')
        .values({ name, value: randomBytes(bytes) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const { value } = await queries
        .selectFrom('secret')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
      return value;
    });
  };
}
