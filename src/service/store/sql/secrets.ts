import { randomBytes } from 'node:crypto';
import type { MetadataStore } from '../metadata-store.ts';
import type { SqlDatabase } from './sql-database.ts';

export function createSecrets({ transaction }: SqlDatabase): MetadataStore['secret'] {
  return (name, bytes) =>
    transaction(async ({ queries }) => {
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
}
