import { type Kysely, sql } from 'kysely';
import type { AbandonedChunk } from '../session.ts';
import type { EndedSession, SessionTrees } from '../session-trees.ts';
import { lockChunks } from '../chunk-lock.ts';
import type { SqlDatabase } from '../../../database/sql-database.ts';
import type { Tables } from '../../../database/tables.ts';

/** Chunks that one step deletes. */
const STEP = 2_000;

/**
 * Deletes, a step at a time, the rows that only an unfinished session needs: its needed chunks, its ended versions and, if it
 * failed, the versions that it brought and the chunks that it announced but never stored. Processes that sweep at the same time
 * take different sessions.
 */
export function createSweep(database: SqlDatabase): SessionTrees['sweep'] {
  return () =>
    database.lockingTransaction(async (transaction) => {
      const { queries } = transaction;
      const { rows } = await sql<EndedSession>`
        SELECT number, state, set_number FROM session s WHERE swept = 0 AND (state IN ('completed', 'failed')
          OR state = 'continued'
            AND (SELECT c.state FROM session c WHERE c.number = s.continued_by) IN ('completed', 'failed'))
        LIMIT 1 FOR UPDATE SKIP LOCKED`.execute(queries);
      const [session] = rows;
      if (!session) return undefined;
      await lockChunks(transaction);
      const chunks = await deleteChunks(queries, session);
      if (chunks) return chunks;
      await queries.deleteFrom('session_end').where('session', '=', session.number).execute();
      if (session.state === 'failed') {
        await sql`DELETE FROM file_version WHERE set_number = ${session.set_number}
          AND valid_from = ${session.number}`.execute(queries);
      }
      await queries.updateTable('session').set({ swept: 1 }).where('number', '=', session.number).execute();
      return [];
    });
}

/** Returns `undefined` if the session has no needed chunks left. */
async function deleteChunks(
  queries: Kysely<Tables>,
  { number, state }: EndedSession,
): Promise<AbandonedChunk[] | undefined> {
  const taken = await sql<{ chunk_id: number; size: number }>`
    DELETE FROM session_chunk WHERE session = ${number} AND ordinal = ANY (ARRAY(
      SELECT ordinal FROM session_chunk WHERE session = ${number} ORDER BY ordinal LIMIT ${STEP}))
    RETURNING chunk_id, size`.execute(queries);
  if (taken.rows.length === 0) return undefined;
  const ids = taken.rows.map((row) => row.chunk_id);
  if (state === 'failed') {
    const sizes = taken.rows.map((row) => row.size);
    // What a failed session has brought is what it has uploaded.
    await sql`
      UPDATE session SET bytes_needed = greatest(0, bytes_needed - (
        SELECT coalesce(sum(t.size), 0)::bigint FROM unnest(${ids}::bigint[], ${sizes}::bigint[]) t (id, size)
        WHERE NOT EXISTS (SELECT 1 FROM chunk c WHERE c.id = t.id AND c.size IS NOT NULL)))
      WHERE number = ${number}`.execute(queries);
  }
  const { rows } = await sql<AbandonedChunk>`
    DELETE FROM chunk c USING account a WHERE c.id = ANY (${ids}::bigint[]) AND c.size IS NULL
      AND a.number = c.account_number
      AND NOT EXISTS (SELECT 1 FROM session_chunk n WHERE n.chunk_id = c.id)
      AND NOT EXISTS (SELECT 1 FROM lost_chunk l WHERE l.chunk_id = c.id)
    RETURNING a.id AS "accountId", c.id, encode(c.digest, 'hex') AS digest`.execute(queries);
  return rows;
}
