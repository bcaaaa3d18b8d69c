import { withRoomNow } from '../../../disk/disk-reserve.ts';
import { withinQuota } from '../quota-store.ts';
import { inTurns } from '../../../database/sqlite/connection-turns.ts';
import type { SqliteDatabase } from '../../../database/sqlite/sqlite-database.ts';
import type { ChunkStore, LostChunk, NeededChunk, StoredSizes } from '../chunk-store.ts';
import { createFindOrAdd } from './find-or-add.ts';
import { createNeededLookup } from './needed-chunks.ts';

/** Announced chunks that are read at once. */
const PAGE = 10_000;

/**
 * The chunks in SQLite, by prepared statements. Measured for 100,000 digests (docs/decisions/0022): finding or adding one takes
 * 5.2 µs of CPU this way and 14.7 µs through Kysely with 4,000 in a statement; finding one takes 3.1 µs and 5.4 µs.
 */
export function createSqliteChunkStore(database: SqliteDatabase): ChunkStore {
  const { connection, turns } = database;
  const find = connection.prepare<[number, Buffer], { id: number; size: number | null; blob_size: number | null }>(
    'SELECT id, size, blob_size FROM chunk WHERE account_number = ? AND digest = ?',
  );
  const findOrAdd = createFindOrAdd(connection);
  const need = connection.prepare<[number, number, number]>(
    'INSERT OR IGNORE INTO session_chunk (session, chunk_id, size) VALUES (?, ?, ?)',
  );
  // The plus prevents SQLite from sorting: rows are read in the order of their ordinals.
  const needed = connection.prepare<[number, number, number], NeededChunk & { ordinal: number }>(
    `SELECT n.ordinal, n.chunk_id AS id, n.size, lower(hex(c.digest)) AS digest
     FROM session_chunk n CROSS JOIN chunk c ON c.id = n.chunk_id
     WHERE +n.session = ? AND n.ordinal > ? ORDER BY n.ordinal LIMIT ?`,
  );
  const announced = connection
    .prepare<[number, number, number], [ordinal: number, id: number]>(
      'SELECT ordinal, chunk_id FROM session_chunk WHERE +session = ? AND ordinal > ? ORDER BY ordinal LIMIT ?',
    )
    .raw();
  const lost = connection.prepare<[number], number>('SELECT chunk_id FROM lost_chunk WHERE account_number = ?').pluck();
  const lostChunk = connection.prepare<[number], LostChunk>(
    `SELECT l.chunk_id AS id, lower(hex(c.digest)) AS digest, l.size, l.blob_size AS blobSize
     FROM lost_chunk l JOIN chunk c ON c.id = l.chunk_id WHERE l.chunk_id = ?`,
  );
  const resolve = connection.transaction((accountNumber: number, digests: readonly Buffer[]) =>
    digests.map((digest) => findOrAdd(accountNumber, digest)),
  );
  // One transaction for all reads: separate ones would take and release the file's locks each time.
  const findAll = connection.transaction((accountNumber: number, digests: readonly Buffer[]) =>
    digests.map((digest) => {
      const row = find.get(accountNumber, digest);
      return row && { id: row.id, size: row.size ?? undefined, blobSize: row.blob_size ?? undefined };
    }),
  );
  const needAll = connection.transaction((session: number, chunks: readonly { id: number; size: number }[]) => {
    for (const chunk of chunks) need.run(session, chunk.id, chunk.size);
  });

  const store: Omit<ChunkStore, 'needEarly'> = {
    resolve: async (accountNumber, digests) => resolve.immediate(accountNumber, digests),
    find: async (accountNumber, digests) => findAll(accountNumber, digests),
    need: async (session, chunks) => needAll.immediate(session.number, chunks),
    needed: async (session, after, limit) => needed.all(session.number, after, limit),
    findNeeded: createNeededLookup(connection),
    announced: async (session, after) => {
      const rows = announced.all(session, after, PAGE);
      return { ids: rows.map(([, id]) => id), last: rows.at(-1)?.[0] ?? after };
    },
    ...createStoredMarks(database),
    lostAmong: async (ids) => ids.flatMap((id) => lostChunk.get(id) ?? []),
    lost: async (accountNumber) => lost.all(accountNumber),
  };
  return { ...inTurns(store, turns), needEarly: createNeedEarly(database) };
}

/** Uses prepared statements on the transaction's own connection. */
function createNeedEarly({ connection, lockingTransaction }: SqliteDatabase): ChunkStore['needEarly'] {
  const account = connection
    .prepare<[number], number>(
      `SELECT a.number FROM session s JOIN account a ON a.id = s.account_id WHERE s.number = ? AND s.state = 'waiting'`,
    )
    .pluck();
  const findOrAdd = createFindOrAdd(connection);
  const need = connection.prepare<[number, number, number]>(
    'INSERT OR IGNORE INTO session_chunk (session, chunk_id, size) VALUES (?, ?, ?)',
  );
  const neededSize = connection
    .prepare<[number, number], number>('SELECT size FROM session_chunk WHERE chunk_id = ? AND session = ?')
    .pluck();
  const reserve = connection.prepare<[number, number]>(
    'UPDATE session SET bytes_needed = bytes_needed + ? WHERE number = ?',
  );
  const needAll = (session: number, chunks: readonly { readonly digest: Buffer; readonly size: number }[]) => {
    const accountNumber = account.get(session);
    if (accountNumber === undefined) return undefined;
    let reserved = 0;
    const found = chunks.map(({ digest, size }) => {
      const hex = digest.toString('hex');
      const { id, size: stored } = findOrAdd(accountNumber, digest);
      if (stored !== undefined) return { id, digest: hex, size: stored, stored: true };
      const isNew = need.run(session, id, size).changes > 0;
      if (isNew) reserved += size;
      return { id, digest: hex, size: isNew ? size : neededSize.get(id, session)!, stored: false };
    });
    reserve.run(reserved, session);
    return found;
  };
  // Finding and announcing share a transaction, so that no sweep of another session deletes a chunk in between.
  return ({ number }, chunks) =>
    lockingTransaction((inside) => withinQuota(inside, number, async () => needAll(number, chunks)));
}

/** Keeps the account's use up to date, which counts blobs. */
function createStoredMarks({ connection, makeRoom }: SqliteDatabase): Pick<ChunkStore, 'markStored' | 'markLost'> {
  const store = connection
    .prepare<[number, number, number], number>(
      'UPDATE chunk SET size = ?, blob_size = ? WHERE id = ? AND size IS NULL RETURNING account_number',
    )
    .pluck();
  const stored = connection.prepare<[number], { account_number: number; size: number; blob_size: number }>(
    'SELECT account_number, size, blob_size FROM chunk WHERE id = ? AND size IS NOT NULL',
  );
  const clear = connection.prepare<[number]>('UPDATE chunk SET size = NULL, blob_size = NULL WHERE id = ?');
  const addLost = connection.prepare<[number, number, number, number]>(
    'INSERT OR IGNORE INTO lost_chunk (chunk_id, account_number, size, blob_size) VALUES (?, ?, ?, ?)',
  );
  const anyLost = connection.prepare('SELECT 1 FROM lost_chunk LIMIT 1');
  const deleteLost = connection.prepare<[number]>('DELETE FROM lost_chunk WHERE chunk_id = ?');
  const addToUse = connection.prepare<[number, number]>(
    'UPDATE account SET storage_used = storage_used + ? WHERE number = ?',
  );
  const addUse = (bytes: ReadonlyMap<number, number>): void => {
    for (const [account, added] of bytes) addToUse.run(added, account);
  };

  const markStored = connection.transaction((chunks: readonly (StoredSizes & { readonly id: number })[]) => {
    const added = new Map<number, number>();
    const mayBeLost = anyLost.get() !== undefined;
    for (const { id, size, blobSize } of chunks) {
      const account = store.get(size, blobSize, id);
      if (account === undefined) continue;
      if (mayBeLost) deleteLost.run(id);
      added.set(account, (added.get(account) ?? 0) + blobSize);
    }
    addUse(added);
  });
  const markLost = connection.transaction((ids: readonly number[]) => {
    const added = new Map<number, number>();
    for (const id of ids) {
      const row = stored.get(id);
      if (!row) continue;
      clear.run(id);
      addLost.run(id, row.account_number, row.size, row.blob_size);
      added.set(row.account_number, (added.get(row.account_number) ?? 0) - row.blob_size);
    }
    addUse(added);
  });
  return {
    markStored: async (chunks) => markStored.immediate(chunks),
    markLost: async (ids) => withRoomNow(() => markLost.immediate(ids), makeRoom),
  };
}
