import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStores } from '../../../src/service/open-stores.ts';
import { DatabaseError } from '../../../src/service/store/store-error.ts';
import { openPostgresDatabase } from '../../../src/service/store/database/postgres-database.ts';
import { openSqliteMetadataStore } from '../../../src/service/store/sqlite-metadata-store.ts';
import { postgresDatabase } from '../../helpers/postgres/postgres.ts';
import { temporaryDirectory } from '../harness.ts';

async function open(directory: string, database?: string): Promise<void> {
  const { metadata, objects } = await openStores(directory, { create: true, database });
  await objects.close();
  await metadata.close();
}

test('binds a directory to its database', async () => {
  const [first, second] = [await temporaryDirectory(), await temporaryDirectory()];
  const [database, another] = [await postgresDatabase(), await postgresDatabase()];
  await open(first, database);
  await open(first, database);
  await expect(open(second, database)).rejects.toMatchObject({ code: 'store_unrecognised' });
  await expect(open(first)).rejects.toMatchObject({ code: 'store_unrecognised' });
  await expect(open(first, another)).rejects.toMatchObject({ code: 'store_unrecognised' });
  await expect(open(second, another)).rejects.toMatchObject({ code: 'store_unrecognised' });
  await open(await temporaryDirectory(), another);
});

test('opens a whole store only with the database that its metadata was moved to', async () => {
  const directory = await temporaryDirectory();
  const [database, another] = [await postgresDatabase(), await postgresDatabase()];
  await open(directory);
  await expect(open(directory, another)).rejects.toMatchObject({ code: 'store_unrecognised' });
  const sqlite = openSqliteMetadataStore(join(directory, 'metadata.sqlite'));
  const value = await sqlite.secret('presigned-url', 32);
  await sqlite.close();

  const moved = await openPostgresDatabase(database, () => undefined);
  await moved.queries.insertInto('secret').values({ name: 'presigned-url', value }).execute();
  await moved.close();
  await open(directory, database);
  await expect(open(directory)).rejects.toMatchObject({ code: 'store_unrecognised' });
  await open(directory, database);
});

test.each(['metadata.sqlite', 'blobs.sqlite'])('refuses an empty %s: it would look like a new store', async (name) => {
  const directory = await temporaryDirectory();
  await open(directory);
  writeFileSync(join(directory, name), '');
  await expect(open(directory)).rejects.toMatchObject({ code: 'store_damaged' });
  expect(readFileSync(join(directory, name))).toHaveLength(0);
});

test('throws DatabaseError if the database does not respond', async () => {
  const gone = open(await temporaryDirectory(), 'postgres://nobody@127.0.0.1:1/none');
  await expect(gone).rejects.toThrow(DatabaseError);
});
