import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openPostgresMetadataStore } from '../../../src/service/postgres-metadata-store.ts';
import { openSqliteMetadataStore } from '../../../src/service/sqlite-metadata-store.ts';
import type { MetadataStore } from '../../../src/service/metadata-store.ts';
import { postgresDatabase } from '../../helpers/postgres/postgres.ts';
import { temporaryDirectory } from '../../unit/service/harness.ts';
import { describeMetadataStore } from './metadata-store.ts';
import { describeWaitingSessions } from './waiting-sessions.ts';

async function openSqlite(): Promise<MetadataStore> {
  const store = openSqliteMetadataStore(join(await temporaryDirectory(), 'metadata.sqlite'));
  onTestFinished(() => store.close());
  return store;
}

async function openPostgres(): Promise<MetadataStore> {
  const store = await openPostgresMetadataStore(await postgresDatabase());
  onTestFinished(() => store.close());
  return store;
}

describeMetadataStore('SQLite', openSqlite);
describeWaitingSessions('SQLite', openSqlite);
describeMetadataStore('PostgreSQL', openPostgres);
describeWaitingSessions('PostgreSQL', openPostgres);
