import { sql } from 'kysely';
import type { SqlDatabase, SqlTransaction } from '../../../database/sql-database.ts';
import type { RebasedPath, RebasedSession, SessionTrees } from '../session-trees.ts';
import { createSweep } from './session-sweep.ts';
import { addEnds, addVersions, COLUMNS, deleteEnds, inTree, isPath, versionOf, type VersionRow } from './trees.ts';

export function createPostgresSessionTrees(database: SqlDatabase): SessionTrees {
  return {
    missingChunks: async (number, limit) => {
      const { rows } = await sql<{ hash: string }>`
        SELECT 'sha256:' || coalesce(encode(c.digest, 'hex'), '') AS hash
        FROM session_chunk n LEFT JOIN chunk c ON c.id = n.chunk_id
        WHERE n.session = ${number} AND c.size IS DISTINCT FROM n.size ORDER BY n.ordinal LIMIT ${limit}`.execute(
        database.queries,
      );
      return rows.map(({ hash }) => hash);
    },
    sweep: createSweep(database),
    endVersions: async ({ queries }, { number, setNumber }) => {
      await sql`
        UPDATE file_version v SET valid_to = ${number} FROM session_end e
        WHERE e.session = ${number} AND v.set_number = ${setNumber} AND v.valid_from = e.valid_from
          AND left(v.path_key, 600) = left(e.path_key, 600) AND v.path_key = e.path_key`.execute(queries);
    },
    changedPaths: async ({ queries }, { setNumber, base }) => {
      const { rows } = await sql<{ path_key: string }>`
        SELECT DISTINCT v.path_key FROM file_version v JOIN session f ON f.number = v.valid_from
        LEFT JOIN session t ON t.number = v.valid_to
        WHERE v.set_number = ${setNumber} AND (f.sequence > ${base} OR t.sequence > ${base})`.execute(queries);
      return rows.map((row) => row.path_key);
    },
    readPaths,
    applyRebase: async ({ queries }, session, { keys, dropped, ends, versions }) => {
      const { number, setNumber } = session;
      await deleteEnds(queries, number, keys);
      if (dropped.length > 0) {
        await sql`
          DELETE FROM file_version v USING unnest(${dropped}::text[]) k (key)
          WHERE v.set_number = ${setNumber} AND v.valid_from = ${number} AND ${isPath('v', sql`k.key`)}`.execute(
          queries,
        );
      }
      await addEnds(queries, number, ends);
      await addVersions(queries, session, versions);
    },
  };
}

async function readPaths(
  { queries }: SqlTransaction,
  { number, setNumber, base, head }: RebasedSession,
  keys: readonly string[],
): Promise<readonly RebasedPath[]> {
  const select = (which: string, condition: ReturnType<typeof inTree>) => sql`
    SELECT ${sql.lit(which)} AS which, ${COLUMNS} FROM unnest(${keys}::text[]) k (key)
    CROSS JOIN LATERAL (SELECT * FROM file_version v
      WHERE v.set_number = ${setNumber} AND ${isPath('v', sql`k.key`)} AND ${condition} OFFSET 0) v`;
  const { rows } = await sql<VersionRow & { which: string }>`
    ${select('own', sql`v.valid_from = ${number}`)}
    UNION ALL ${select('base', inTree(base))} UNION ALL ${select('head', inTree(head))}`.execute(queries);
  const ended = await sql<{ key: string }>`
    SELECT k.key FROM unnest(${keys}::text[]) k (key)
    WHERE EXISTS (SELECT 1 FROM session_end e WHERE e.session = ${number} AND ${isPath('e', sql`k.key`)})`.execute(
    queries,
  );
  const endedKeys = new Set(ended.rows.map(({ key }) => key));
  const found = new Map(rows.map((row) => [`${row.which} ${row.path_key}`, versionOf(row)]));
  return keys.map((key) => ({
    key,
    own: found.get(`own ${key}`),
    ended: endedKeys.has(key),
    inBase: found.get(`base ${key}`),
    inHead: found.get(`head ${key}`),
  }));
}
