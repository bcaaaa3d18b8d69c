import type { Database } from 'better-sqlite3';
import type { ChunkRow } from '../chunk-store.ts';

/**
 * Returns a function that finds the row of a digest or inserts it, for use inside a transaction. New digests come in runs, and
 * so do known ones: trying what the last one was first nearly always saves the other search.
 */
export function createFindOrAdd(connection: Database): (accountNumber: number, digest: Buffer) => ChunkRow {
  const find = connection
    .prepare<[number, Buffer], [id: number, size: number | null, blobSize: number | null]>(
      'SELECT id, size, blob_size FROM chunk WHERE account_number = ? AND digest = ?',
    )
    .raw();
  const add = connection.prepare<[number, Buffer]>(
    'INSERT OR IGNORE INTO chunk (account_number, digest) VALUES (?, ?)',
  );
  let lastWasNew = false;

  const found = (accountNumber: number, digest: Buffer): ChunkRow | undefined => {
    const row = find.get(accountNumber, digest);
    return row && { id: row[0], size: row[1] ?? undefined, blobSize: row[2] ?? undefined };
  };
  const added = (accountNumber: number, digest: Buffer): ChunkRow | undefined => {
    const { changes, lastInsertRowid } = add.run(accountNumber, digest);
    return changes > 0 ? { id: Number(lastInsertRowid), size: undefined, blobSize: undefined } : undefined;
  };
  return (accountNumber, digest) => {
    if (lastWasNew) {
      const row = added(accountNumber, digest);
      if (row) return row;
      lastWasNew = false;
      return found(accountNumber, digest)!;
    }
    const row = found(accountNumber, digest);
    if (row) return row;
    lastWasNew = true;
    return added(accountNumber, digest)!;
  };
}
