import type { Database } from 'better-sqlite3';
import { BLOB_OVERHEAD } from '../../../../protocol/chunk.ts';
import type { ChunkRow, ChunkStore, NeededChunk } from '../../metadata-store.ts';
import { createEarlyChunks } from './early-chunks.ts';
import { createFindOrAdd } from './find-or-add.ts';
import { createNeededLookup } from './needed-chunks.ts';

interface RawChunk {
  readonly id: number;
  readonly size: number | null;
}

export function createChunkStore(database: Database): ChunkStore {
  const find = database.prepare<[number, Buffer], RawChunk>(
    'SELECT id, size FROM chunk WHERE account_number = ? AND digest = ?',
  );
  const findOrAdd = createFindOrAdd(database);
  const need = database.prepare<[number, number, number]>(
    'INSERT OR IGNORE INTO session_chunk (session, chunk_id, size) VALUES (?, ?, ?)',
  );
  // The plus keeps SQLite from sorting: rows are read in the order of their ordinals.
  const needed = database.prepare<[number, number, number], NeededChunk & { ordinal: number }>(
    `SELECT n.ordinal, n.chunk_id AS id, n.size, lower(hex(c.digest)) AS digest
     FROM session_chunk n CROSS JOIN chunk c ON c.id = n.chunk_id
     WHERE +n.session = ? AND n.ordinal > ? ORDER BY n.ordinal LIMIT ?`,
  );
  const lost = database.prepare<[number], number>('SELECT chunk_id FROM lost_chunk WHERE account_number = ?').pluck();
  const resolve = database.transaction((accountNumber: number, digests: readonly Buffer[]) =>
    digests.map((digest) => findOrAdd(accountNumber, digest)),
  );
  // One transaction for all reads: each on its own would take and release the file's locks.
  const findAll = database.transaction((accountNumber: number, digests: readonly Buffer[]) =>
    digests.map((digest) => {
      const row = find.get(accountNumber, digest);
      return row && chunkOf(row);
    }),
  );
  const needAll = database.transaction((session: number, chunks: readonly { id: number; size: number }[]) => {
    for (const chunk of chunks) need.run(session, chunk.id, chunk.size);
  });

  return {
    resolve: async (accountNumber, digests) => resolve.immediate(accountNumber, digests),
    find: async (accountNumber, digests) => findAll(accountNumber, digests),
    need: async (session, chunks) => needAll.immediate(session.number, chunks),
    needed: async (session, after, limit) => needed.all(session.number, after, limit),
    findNeeded: createNeededLookup(database),
    ...createEarlyChunks(database),
    ...createStoredMarks(database),
    lost: async (accountNumber) => lost.all(accountNumber),
  };
}

/** Keeps the account's use in step: it counts blobs, which are a little larger than their chunks. */
function createStoredMarks(database: Database): Pick<ChunkStore, 'markStored' | 'markLost'> {
  const store = database
    .prepare<[number, number], number>(
      'UPDATE chunk SET size = ? WHERE id = ? AND size IS NULL RETURNING account_number',
    )
    .pluck();
  const lose = database.prepare<[number], { account_number: number; size: number }>(
    'SELECT account_number, size FROM chunk WHERE id = ? AND size IS NOT NULL',
  );
  const clear = database.prepare<[number]>('UPDATE chunk SET size = NULL WHERE id = ?');
  const addLost = database.prepare<[number, number]>(
    'INSERT OR IGNORE INTO lost_chunk (chunk_id, account_number) VALUES (?, ?)',
  );
  const anyLost = database.prepare('SELECT 1 FROM lost_chunk LIMIT 1');
  const dropLost = database.prepare<[number]>('DELETE FROM lost_chunk WHERE chunk_id = ?');
  const use = database.prepare<[number, number]>('UPDATE account SET storage_used = storage_used + ? WHERE number = ?');
  const addUse = (bytes: ReadonlyMap<number, number>): void => {
    for (const [account, added] of bytes) use.run(added, account);
  };

  const markStored = database.transaction((chunks: readonly { id: number; size: number }[]) => {
    const added = new Map<number, number>();
    const mayBeLost = anyLost.get() !== undefined;
    for (const { id, size } of chunks) {
      const account = store.get(size, id);
      if (account === undefined) continue;
      if (mayBeLost) dropLost.run(id);
      added.set(account, (added.get(account) ?? 0) + size + BLOB_OVERHEAD);
    }
    addUse(added);
  });
  const markLost = database.transaction((ids: readonly number[]) => {
    const added = new Map<number, number>();
    for (const id of ids) {
      const row = lose.get(id);
      if (!row) continue;
      clear.run(id);
      addLost.run(id, row.account_number);
      added.set(row.account_number, (added.get(row.account_number) ?? 0) - row.size - BLOB_OVERHEAD);
    }
    addUse(added);
  });
  return {
    markStored: async (chunks) => markStored.immediate(chunks),
    markLost: async (ids) => markLost.immediate(ids),
  };
}

function chunkOf(row: RawChunk): ChunkRow {
  return { id: row.id, size: row.size ?? undefined };
}
