import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openPostgresMetadataStore } from '../../../src/service/postgres-metadata-store.ts';
import { openSqliteMetadataStore } from '../../../src/service/sqlite-metadata-store.ts';
import { postgresDatabase } from '../../helpers/postgres/postgres.ts';
import { temporaryDirectory } from '../../unit/service/harness.ts';
import { describeRetentionStores } from './retention-store.ts';

describeRetentionStores('SQLite', async () => {
  const store = openSqliteMetadataStore(join(await temporaryDirectory(), 'metadata.sqlite'));
  onTestFinished(() => store.close());
  return store;
});

describeRetentionStores('PostgreSQL', async () => {
  const store = await openPostgresMetadataStore(await postgresDatabase());
  onTestFinished(() => store.close());
  return store;
});
