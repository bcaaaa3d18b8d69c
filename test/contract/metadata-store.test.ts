import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSqliteMetadataStore } from '../../src/service/store/sqlite/sqlite-metadata-store.ts';
import { temporaryDirectory } from '../service/harness.ts';
import { describeMetadataStore } from './metadata-store.ts';

describeMetadataStore('SQLite', async () => {
  const store = openSqliteMetadataStore(join(await temporaryDirectory(), 'metadata.sqlite'));
  onTestFinished(() => store.close());
  return store;
});
