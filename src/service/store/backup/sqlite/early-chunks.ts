import type { Database } from 'better-sqlite3';
import type { ChunkStore } from '../../metadata-store.ts';
import { createFindOrAdd } from './find-or-add.ts';

/** Rows that are read at once. */
const PAGE = 10_000;

/** What a session announces before its manifest. */
export function createEarlyChunks(database: Database): Pick<ChunkStore, 'needEarly' | 'announced'> {
  const account = database
    .prepare<[number], number>(
      `SELECT a.number FROM session s JOIN account a ON a.id = s.account_id WHERE s.number = ? AND s.state = 'waiting'`,
    )
    .pluck();
  const findOrAdd = createFindOrAdd(database);
  const need = database.prepare<[number, number, number]>(
    'INSERT OR IGNORE INTO session_chunk (session, chunk_id, size) VALUES (?, ?, ?)',
  );
  const neededSize = database
    .prepare<[number, number], number>('SELECT size FROM session_chunk WHERE chunk_id = ? AND session = ?')
    .pluck();
  // The plus keeps SQLite from sorting: rows are read in the order of their ordinals.
  const announced = database
    .prepare<[number, number, number], [ordinal: number, id: number]>(
      'SELECT ordinal, chunk_id FROM session_chunk WHERE +session = ? AND ordinal > ? ORDER BY ordinal LIMIT ?',
    )
    .raw();

  // Looking and announcing in one transaction: what is announced here is not swept as what another session left.
  const needEarly = database.transaction(
    (session: number, chunks: readonly { readonly digest: Buffer; readonly size: number }[]) => {
      const accountNumber = account.get(session);
      if (accountNumber === undefined) return undefined;
      return chunks.map(({ digest, size }) => {
        const hex = digest.toString('hex');
        const { id, size: stored } = findOrAdd(accountNumber, digest);
        if (stored !== undefined) return { id, digest: hex, size: stored, stored: true };
        const isNew = need.run(session, id, size).changes > 0;
        return { id, digest: hex, size: isNew ? size : neededSize.get(id, session)!, stored: false };
      });
    },
  );

  return {
    needEarly: async (session, chunks) => needEarly.immediate(session.number, chunks),
    announced: async (session, after) => {
      const rows = announced.all(session, after, PAGE);
      return { ids: rows.map(([, id]) => id), last: rows.at(-1)?.[0] ?? after };
    },
  };
}
