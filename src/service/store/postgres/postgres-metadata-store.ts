import type { MetadataStore } from '../metadata-store.ts';
import { createSqlAccountStore } from '../sql/accounts.ts';
import { createSqlDeviceStore } from '../sql/devices.ts';
import { openPostgresDatabase } from '../sql/postgres-database.ts';
import { createSqlRestoreStore } from '../sql/restores.ts';
import { createSecrets } from '../sql/secrets.ts';
import { createSqlTokenStore } from '../sql/tokens.ts';
import { createChunkStore } from './chunks.ts';
import { createSessionStore } from './sessions.ts';
import { createTreeStore } from './trees.ts';

/**
 * The metadata of a service in PostgreSQL, for any number of processes at once.
 *
 * @param url `postgres://user:password@host:port/name`
 * @param onEvents called after a transaction of this process that recorded events
 */
export async function openPostgresMetadataStore(
  url: string,
  onEvents: () => void = () => undefined,
): Promise<MetadataStore> {
  const database = await openPostgresDatabase(url, onEvents);
  return {
    accounts: createSqlAccountStore(database),
    devices: createSqlDeviceStore(database),
    tokens: createSqlTokenStore(database),
    sessions: createSessionStore(database),
    trees: createTreeStore(database),
    chunks: createChunkStore(database),
    restores: createSqlRestoreStore(database),
    sql: database,
    secret: createSecrets(database),
    close: () => database.close(),
  };
}
