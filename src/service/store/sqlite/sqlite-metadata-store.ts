import type { EventSink } from '../../events.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { createSqlAccountStore } from '../sql/accounts.ts';
import { ConnectionTurns, inTurns } from '../sql/connection-turns.ts';
import { createSqlDeviceStore } from '../sql/devices.ts';
import { createRestorePoints } from '../sql/restore-points.ts';
import { createSqlRestoreStore } from '../sql/restores.ts';
import { createSecrets } from '../sql/secrets.ts';
import { createSqliteDatabase } from '../sql/sqlite-database.ts';
import { createSqlTokenStore } from '../sql/tokens.ts';
import { createChunkStore } from './chunks.ts';
import { openMetadataDatabase } from './database.ts';
import { createOutbox } from './outbox.ts';
import { createSessionStore } from './sessions.ts';
import { createTreeStore } from './trees.ts';

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
