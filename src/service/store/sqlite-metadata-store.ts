import type { EventSink } from './webhooks/account-event.ts';
import type { MetadataStore } from './metadata-store.ts';
import { createSqlAccountStore } from './accounts/accounts.ts';
import { ConnectionTurns, inTurns } from './database/connection-turns.ts';
import { createSqlDeviceStore } from './devices/devices.ts';
import { createRestorePoints } from './backup/restore-points.ts';
import { createSqlRestoreStore } from './restores/restores.ts';
import { createSecrets } from './database/secrets.ts';
import { createSqliteDatabase } from './database/sqlite-database.ts';
import { createSqlTokenStore } from './accounts/tokens.ts';
import { createChunkStore } from './backup/sqlite/chunks.ts';
import { openMetadataDatabase } from './database/sqlite-connection.ts';
import { createOutbox } from './webhooks/sqlite-outbox.ts';
import { createSessionStore } from './backup/sqlite/sessions.ts';
import { createTreeStore } from './backup/sqlite/trees.ts';

/**
 * The metadata of a store in one SQLite file.
 *
 * @param onEvents called after a transaction that recorded events
 */
export function openSqliteMetadataStore(file: string, onEvents: () => void = () => undefined): MetadataStore {
  const database = openMetadataDatabase(file);
  const outbox = createOutbox(database);
  const events: EventSink = {
    emit(event) {
      outbox.emit(event);
      // Transactions are synchronous, so a microtask runs when this one is over.
      queueMicrotask(onEvents);
    },
  };
  const turns = new ConnectionTurns();
  const sql = createSqliteDatabase(database, turns, onEvents);
  return {
    accounts: createSqlAccountStore(sql),
    devices: createSqlDeviceStore(sql),
    tokens: createSqlTokenStore(sql),
    sessions: { ...inTurns(createSessionStore(database, events), turns), ...createRestorePoints(sql) },
    trees: inTurns(createTreeStore(database), turns),
    chunks: inTurns(createChunkStore(database), turns),
    restores: createSqlRestoreStore(sql),
    sql,
    secret: createSecrets(sql),
    close: () => turns.run(async () => void database.close()),
  };
}
