import type { Database } from 'better-sqlite3';
import type { AbandonedChunk, SessionStore } from '../../metadata-store.ts';

/** Rows that one step deletes or walks past. */
const STEP = 2_000;

interface EndedSession {
  readonly number: number;
  readonly state: 'completed' | 'failed' | 'continued';
  readonly set_number: number;
}

/**
 * Removes, a step at a time, what only an unfinished session needs: its list of needed chunks, its list of ended versions
 * and, where it failed, the versions that it brought and the chunks that it announced and never stored.
 */
export function createSweep(database: Database): SessionStore['sweep'] {
  const next = database.prepare<[], EndedSession>(
    `SELECT number, state, set_number FROM session s WHERE swept = 0 AND (state IN ('completed', 'failed')
       OR state = 'continued' AND (SELECT c.state FROM session c WHERE c.number = s.continued_by) IN ('completed', 'failed'))
     LIMIT 1`,
  );
  const finish = database.prepare<[number]>('UPDATE session SET swept = 1 WHERE number = ?');
  const dropChunks = createChunkStep(database);
  const dropEnds = database.prepare<[number, number]>('DELETE FROM session_end WHERE session = ? LIMIT ?');
  const dropVersions = createVersionStep(database);

  const step = database.transaction((): readonly AbandonedChunk[] | undefined => {
    const session = next.get();
    if (!session) return undefined;
    const chunks = dropChunks(session.number);
    if (chunks) return chunks;
    if (dropEnds.run(session.number, STEP).changes > 0) return [];
    if (session.state === 'failed' && dropVersions(session)) return [];
    finish.run(session.number);
    return [];
  });
  return async () => step.immediate();
}

/** Answers nothing where the session has no needed chunks left. */
function createChunkStep(database: Database): (session: number) => AbandonedChunk[] | undefined {
  const take = database
    .prepare<[number, number], number>(
      'DELETE FROM session_chunk NOT INDEXED WHERE session = ? RETURNING chunk_id LIMIT ?',
    )
    .pluck();
  const drop = database.prepare<[number], AbandonedChunk>(
    `DELETE FROM chunk WHERE id = ? AND size IS NULL
       AND NOT EXISTS (SELECT 1 FROM session_chunk n WHERE n.chunk_id = chunk.id)
       AND NOT EXISTS (SELECT 1 FROM lost_chunk l WHERE l.chunk_id = chunk.id)
     RETURNING id,
       (SELECT a.id FROM account a WHERE a.number = account_number) AS accountId, lower(hex(digest)) AS digest`,
  );
  return (session) => {
    const ids = take.all(session, STEP);
    if (ids.length === 0) return undefined;
    return ids.map((id) => drop.get(id)).filter((chunk) => chunk !== undefined);
  };
}

/** Walks the set's versions, since those of one session are not indexed; false when it has come to the end. */
function createVersionStep(database: Database): (session: EndedSession) => boolean {
  const boundary = database
    .prepare<[number, string, number], string>(
      'SELECT path_key FROM file_version WHERE set_number = ? AND path_key > ? ORDER BY path_key LIMIT 1 OFFSET ?',
    )
    .pluck();
  const dropUpTo = database.prepare<[number, string, string, number]>(
    'DELETE FROM file_version WHERE set_number = ? AND path_key > ? AND path_key <= ? AND valid_from = ?',
  );
  const dropRest = database.prepare<[number, string, number]>(
    'DELETE FROM file_version WHERE set_number = ? AND path_key > ? AND valid_from = ?',
  );
  // Forgotten by a restart, which then walks from the beginning.
  let walk = { session: 0, after: '' };
  return ({ number, set_number: setNumber }) => {
    if (walk.session !== number) walk = { session: number, after: '' };
    const upTo = boundary.get(setNumber, walk.after, STEP);
    if (upTo === undefined) {
      dropRest.run(setNumber, walk.after, number);
      return false;
    }
    dropUpTo.run(setNumber, walk.after, upTo, number);
    walk.after = upTo;
    return true;
  };
}
