import { randomBytes } from 'node:crypto';
import type { EventSink } from '../../events.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { ConnectionTurns, inTurns } from '../sql/connection-turns.ts';
import { createSqliteDatabase } from '../sql/sqlite-database.ts';
import { createAccountStore } from './accounts.ts';
import { createChunkStore } from './chunks.ts';
import { openMetadataDatabase } from './database.ts';
import { createDeviceStore } from './devices.ts';
import { createOutbox } from './outbox.ts';
import { createRestoreStore } from './restores.ts';
import { createSessionStore } from './sessions.ts';
import { createTokenStore } from './tokens.ts';
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
  const findSecret = database.prepare<[string], Buffer>('SELECT value FROM secret WHERE name = ?').pluck();
  const addSecret = database.prepare<[string, Buffer]>('INSERT OR IGNORE INTO secret (name, value) VALUES (?, ?)');
  const turns = new ConnectionTurns();
  return {
    accounts: inTurns(createAccountStore(database), turns),
    devices: inTurns(createDeviceStore(database, events), turns),
    tokens: inTurns(createTokenStore(database), turns),
    sessions: inTurns(createSessionStore(database, events), turns),
    trees: inTurns(createTreeStore(database), turns),
    chunks: inTurns(createChunkStore(database), turns),
    restores: inTurns(createRestoreStore(database, events), turns),
    sql: createSqliteDatabase(database, turns, onEvents),
    secret: (name, bytes) =>
      turns.run(async () => {
        addSecret.run(name, randomBytes(bytes));
        return findSecret.get(name)!;
      }),
    close: () => turns.run(async () => void database.close()),
  };
}
