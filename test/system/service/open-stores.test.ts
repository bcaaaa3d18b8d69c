import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStores } from '../../../src/service/open-stores.ts';
import { finishStore, openStoreDirectory } from '../../../src/service/database/store-directory.ts';
import { DatabaseError } from '../../../src/service/database/store-error.ts';
import { openPostgresDatabase } from '../../../src/service/database/postgres/postgres-database.ts';
import { openSqliteMetadataStore } from '../../../src/service/sqlite-metadata-store.ts';
import { postgresDatabase } from '../../helpers/postgres/postgres.ts';
import { temporaryDirectory } from '../../unit/service/harness.ts';

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

test('opens a new directory that is the home of a user whose programs have a cache', async () => {
  const directory = await temporaryDirectory();
  mkdirSync(join(directory, '.cache', 'holdfast'), { recursive: true });
  await open(directory);
});

test('opens a new directory that is being checked, or was when the check was killed', async () => {
  const directory = await temporaryDirectory();
  writeFileSync(join(directory, '.holdfast-check-4711'), 'check\n');
  await open(directory);
  const foreign = await temporaryDirectory();
  writeFileSync(join(foreign, 'holiday.jpg'), '');
  await expect(open(foreign)).rejects.toMatchObject({ code: 'store_unrecognised' });
});

test.each(['metadata.sqlite', 'blobs.sqlite'])('refuses an empty %s: it would look like a new store', async (name) => {
  const directory = await temporaryDirectory();
  await open(directory);
  writeFileSync(join(directory, name), '');
  await expect(open(directory)).rejects.toMatchObject({ code: 'store_damaged' });
  expect(readFileSync(join(directory, name))).toHaveLength(0);
});

describe('a directory whose disk is unmounted while it is in use', () => {
  /** Puts an empty directory in its place, as below a mount point. */
  async function unmount(directory: string): Promise<void> {
    renameSync(directory, `${directory}-disk`);
    mkdirSync(directory);
    onTestFinished(() => rmSync(`${directory}-disk`, { recursive: true }));
  }

  test('gets no blobs', async () => {
    const directory = await temporaryDirectory();
    const { metadata, objects } = await openStores(directory, { create: true });
    await unmount(directory);
    const bytes = Buffer.alloc(200_000);
    const key = { accountId: 'acc', chunkId: 1, digest: 'ab'.repeat(32), size: bytes.length };
    await expect(objects.put([{ key, bytes }])).rejects.toMatchObject({ code: 'ENODEV' });
    expect(readdirSync(directory)).toEqual([]);
    await objects.close();
    await metadata.close();
  });

  test('gets no marker', async () => {
    const directory = await temporaryDirectory();
    await open(directory);
    const paths = await openStoreDirectory(directory, true);
    await unmount(directory);
    await expect(finishStore(paths)).rejects.toMatchObject({ code: 'store_missing' });
    expect(readdirSync(directory)).toEqual([]);
  });
});

test('throws DatabaseError if the database does not respond', async () => {
  const gone = open(await temporaryDirectory(), 'postgres://nobody@127.0.0.1:1/none');
  await expect(gone).rejects.toThrow(DatabaseError);
});
