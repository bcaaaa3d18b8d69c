import type { Database } from 'better-sqlite3';
import { type MakeRoom, withRoomNow } from '../../../disk/disk-reserve.ts';
import type { AbandonedChunk } from '../session.ts';
import type { EndedSession, SessionTrees } from '../session-trees.ts';

/** Rows that one step deletes or scans. */
const STEP = 2_000;

/**
 * Deletes, a step at a time, the rows that only an unfinished session needs: its needed chunks, its ended versions and, if it
 * failed, the versions that it brought and the chunks that it announced but never stored. In SQLite each step is one short
 * synchronous transaction that need not be durable.
 */
export function createSweep(connection: Database, makeRoom: MakeRoom): SessionTrees['sweep'] {
  const next = connection.prepare<[], EndedSession>(
    `SELECT number, state, set_number FROM session s WHERE swept = 0 AND (state IN ('completed', 'failed')
       OR state = 'continued' AND (SELECT c.state FROM session c WHERE c.number = s.continued_by) IN ('completed', 'failed'))
     LIMIT 1`,
  );
  const finish = connection.prepare<[number]>('UPDATE session SET swept = 1 WHERE number = ?');
  const deleteChunks = createChunkStep(connection);
  const deleteEnds = connection.prepare<[number, number]>('DELETE FROM session_end WHERE session = ? LIMIT ?');
  const deleteVersions = createVersionStep(connection);

  const step = connection.transaction((): readonly AbandonedChunk[] | undefined => {
    const session = next.get();
    if (!session) return undefined;
    const chunks = deleteChunks(session);
    if (chunks) return chunks;
    if (deleteEnds.run(session.number, STEP).changes > 0) return [];
    if (session.state === 'failed' && deleteVersions(session)) return [];
    finish.run(session.number);
    return [];
  });
  return async () => withRoomNow(() => step.immediate(), makeRoom);
}

/** Returns `undefined` if the session has no needed chunks left. */
function createChunkStep(connection: Database): (session: EndedSession) => AbandonedChunk[] | undefined {
  const take = connection.prepare<[number, number], { chunk_id: number; size: number }>(
    'DELETE FROM session_chunk NOT INDEXED WHERE session = ? RETURNING chunk_id, size LIMIT ?',
  );
  const isStored = connection.prepare<[number]>('SELECT 1 FROM chunk WHERE id = ? AND size IS NOT NULL');
  // What a failed session has brought is what it has uploaded.
  const subtract = connection.prepare<[number, number]>(
    'UPDATE session SET bytes_needed = max(0, bytes_needed - ?) WHERE number = ?',
  );
  const drop = connection.prepare<[number], AbandonedChunk>(
    `DELETE FROM chunk WHERE id = ? AND size IS NULL
       AND NOT EXISTS (SELECT 1 FROM session_chunk n WHERE n.chunk_id = chunk.id)
       AND NOT EXISTS (SELECT 1 FROM lost_chunk l WHERE l.chunk_id = chunk.id)
     RETURNING id,
       (SELECT a.id FROM account a WHERE a.number = account_number) AS accountId, lower(hex(digest)) AS digest`,
  );
  return ({ number, state }) => {
    const taken = take.all(number, STEP);
    if (taken.length === 0) return undefined;
    if (state === 'failed') {
      const missing = taken.filter(({ chunk_id: id }) => isStored.get(id) === undefined);
      const bytes = missing.reduce((sum, { size }) => sum + size, 0);
      subtract.run(bytes, number);
    }
    return taken.map(({ chunk_id: id }) => drop.get(id)).filter((chunk) => chunk !== undefined);
  };
}

/** Scans the set's versions, since those of one session have no index; returns false at the end. */
function createVersionStep(connection: Database): (session: EndedSession) => boolean {
  const boundary = connection
    .prepare<[number, string, number], string>(
      'SELECT path_key FROM file_version WHERE set_number = ? AND path_key > ? ORDER BY path_key LIMIT 1 OFFSET ?',
    )
    .pluck();
  const deleteUpTo = connection.prepare<[number, string, string, number]>(
    'DELETE FROM file_version WHERE set_number = ? AND path_key > ? AND path_key <= ? AND valid_from = ?',
  );
  const deleteRest = connection.prepare<[number, string, number]>(
    'DELETE FROM file_version WHERE set_number = ? AND path_key > ? AND valid_from = ?',
  );
  // Lost on a restart, after which the scan starts again.
  let scan = { session: 0, after: '' };
  return ({ number, set_number: setNumber }) => {
    if (scan.session !== number) scan = { session: number, after: '' };
    const upTo = boundary.get(setNumber, scan.after, STEP);
    if (upTo === undefined) {
      deleteRest.run(setNumber, scan.after, number);
      return false;
    }
    deleteUpTo.run(setNumber, scan.after, upTo, number);
    scan.after = upTo;
    return true;
  };
}
