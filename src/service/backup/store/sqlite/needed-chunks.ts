import type { Database } from 'better-sqlite3';
import type { ChunkStore } from '../chunk-store.ts';

/** Rows in a page that is read ahead, and pages that are kept. */
const PAGE = 4_096;
const PAGES_KEPT = 3;

interface NeededRow {
  readonly id: number;
  readonly size: number;
}

interface PagedRow extends NeededRow {
  readonly ordinal: number;
  readonly digest: string;
}

/** The part of a session's needed chunks that has been read ahead. */
interface ReadAhead {
  readonly session: number;
  readonly pages: Map<string, NeededRow>[];
  after: number;
}

/**
 * Finds chunks among those that a session needs. An agent uploads in the order of that list, so reading it ahead a page at a
 * time finds nearly every chunk in memory; each of the others costs a search by digest in two indexes.
 */
export function createNeededLookup(connection: Database): ChunkStore['findNeeded'] {
  const account = connection.prepare<[string], number>('SELECT number FROM account WHERE id = ?').pluck();
  const search = connection.prepare<[number, number, Buffer], NeededRow>(
    `SELECT c.id, n.size FROM chunk c
     CROSS JOIN session_chunk n ON n.chunk_id = c.id AND n.session = ?
     WHERE c.account_number = ? AND c.digest = ?`,
  );
  // The plus prevents SQLite from sorting: rows are read in the order of their ordinals.
  const page = connection.prepare<[number, number, number], PagedRow>(
    `SELECT n.ordinal, n.chunk_id AS id, n.size, lower(hex(c.digest)) AS digest
     FROM session_chunk n CROSS JOIN chunk c ON c.id = n.chunk_id
     WHERE +n.session = ? AND n.ordinal > ? ORDER BY n.ordinal LIMIT ?`,
  );
  const storedSize = connection.prepare<[number], number | null>('SELECT size FROM chunk WHERE id = ?').pluck();
  let ahead: ReadAhead | undefined;

  const advance = (current: ReadAhead): void => {
    const rows = page.all(current.session, current.after, PAGE);
    if (rows.length === 0) return;
    current.after = rows.at(-1)!.ordinal;
    current.pages.push(new Map(rows.map(({ digest, id, size }) => [digest, { id, size }])));
    if (current.pages.length > PAGES_KEPT) current.pages.shift();
  };

  return async (session, digests, order) => {
    // Reading ahead pays off for one session at a time; with many in turn, single searches are cheaper.
    let mayAdvance = order === 'as-needed' && ahead?.session === session.number;
    if (order === 'as-needed' && !mayAdvance) ahead = { session: session.number, pages: [], after: 0 };
    const accountNumber = account.get(session.accountId) ?? 0;
    const current = ahead?.session === session.number ? ahead : undefined;
    const find = (digest: Buffer, hex: string): NeededRow | undefined => {
      for (;;) {
        const row = current?.pages.findLast((known) => known.has(hex))?.get(hex);
        if (row) return row;
        // Once per call: requests in another order cause single searches instead of a scan of the whole list.
        if (!current || !mayAdvance) return search.get(session.number, accountNumber, digest);
        mayAdvance = false;
        advance(current);
      }
    };
    return digests.map((digest) => {
      const hex = digest.toString('hex');
      const row = find(digest, hex);
      return row && { id: row.id, size: row.size, digest: hex, stored: typeof storedSize.get(row.id) === 'number' };
    });
  };
}
