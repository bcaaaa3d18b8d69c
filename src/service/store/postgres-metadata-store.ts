import type { MetadataStore } from './metadata-store.ts';
import { createSqlAccountStore } from './accounts/accounts.ts';
import { createSqlDeviceStore } from './devices/devices.ts';
import { openPostgresDatabase } from './database/postgres-database.ts';
import { createSqlRestoreStore } from './restores/restores.ts';
import { createSecrets } from './database/secrets.ts';
import { createSqlTokenStore } from './accounts/tokens.ts';
import { createChunkStore } from './backup/postgres/chunks.ts';
import { createSessionStore } from './backup/postgres/sessions.ts';
import { createTreeStore } from './backup/postgres/trees.ts';

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
