import type { Database } from 'better-sqlite3';
import type { ChunkStore } from '../../metadata-store.ts';

/** Rows that are read ahead at once, and batches of them that are kept. */
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

/** The part of a session's needed chunks that is being asked for. */
interface Window {
  readonly session: number;
  readonly pages: Map<string, NeededRow>[];
  after: number;
}

/**
 * Looks chunks up among those that a session needs. An agent uploads in the order in which it was told what to upload, so
 * reading that list along, a page at a time, answers nearly every question from memory; each of the rest costs a search by
 * digest in two indexes.
 */
export function createNeededLookup(database: Database): ChunkStore['findNeeded'] {
  const account = database.prepare<[string], number>('SELECT number FROM account WHERE id = ?').pluck();
  const search = database.prepare<[number, number, Buffer], NeededRow>(
    `SELECT c.id, n.size FROM chunk c
     CROSS JOIN session_chunk n ON n.chunk_id = c.id AND n.session = ?
     WHERE c.account_number = ? AND c.digest = ?`,
  );
  // The plus keeps SQLite from sorting: rows are read in the order of their ordinals.
  const page = database.prepare<[number, number, number], PagedRow>(
    `SELECT n.ordinal, n.chunk_id AS id, n.size, lower(hex(c.digest)) AS digest
     FROM session_chunk n CROSS JOIN chunk c ON c.id = n.chunk_id
     WHERE +n.session = ? AND n.ordinal > ? ORDER BY n.ordinal LIMIT ?`,
  );
  const storedSize = database.prepare<[number], number | null>('SELECT size FROM chunk WHERE id = ?').pluck();
  let window: Window | undefined;

  const advance = (current: Window): void => {
    const rows = page.all(current.session, current.after, PAGE);
    if (rows.length === 0) return;
    current.after = rows.at(-1)!.ordinal;
    current.pages.push(new Map(rows.map(({ digest, id, size }) => [digest, { id, size }])));
    if (current.pages.length > PAGES_KEPT) current.pages.shift();
  };

  return async (session, digests, order) => {
    // Reading ahead pays when one session asks again and again; a server with many in turn searches.
    let mayAdvance = order === 'as-needed' && window?.session === session.number;
    if (order === 'as-needed' && !mayAdvance) window = { session: session.number, pages: [], after: 0 };
    const accountNumber = account.get(session.accountId) ?? 0;
    const current = window?.session === session.number ? window : undefined;
    const find = (digest: Buffer, hex: string): NeededRow | undefined => {
      for (;;) {
        const row = current?.pages.findLast((known) => known.has(hex))?.get(hex);
        if (row) return row;
        // Once for each call: whoever asks in another order gets single searches, not a walk through the whole list.
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
