import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { FileVersion, StoredVersion } from '../../metadata-store.ts';
import { sameChunks } from '../packed-chunks.ts';
import type { Tables } from '../../database/tables.ts';
import { addEnds, addVersions, COLUMNS, dropEnds, inTree, isPath, versionOf } from './trees.ts';
import type { VersionRow } from './trees.ts';

/** Paths that are looked at together. */
const PAGE = 2_000;

interface RebasedSession {
  readonly number: number;
  readonly setNumber: number;
  readonly base: number;
  /** The sequence of the newest tree. */
  readonly head: number;
}

interface MovedPath {
  readonly key: string;
  readonly own: StoredVersion | undefined;
  readonly ended: boolean;
  readonly inBase: StoredVersion | undefined;
  readonly inHead: StoredVersion | undefined;
}

/**
 * A session's changes are relative to the tree that was the newest when it began. Where another session of the set has
 * been completed since, this makes them relative to the newest tree of now, so that the result is exactly the manifest
 * that was sent. To be called inside the transaction that completes the session.
 *
 * It reads all versions of the set once to find what the other session did; two sessions of one set at once are rare.
 */
export async function rebase(queries: Kysely<Tables>, session: RebasedSession): Promise<void> {
  const { number, setNumber, base } = session;
  // What was begun or ended behind the base, up to now.
  const { rows } = await sql<{ path_key: string }>`
    SELECT DISTINCT v.path_key FROM file_version v JOIN session f ON f.number = v.valid_from
    LEFT JOIN session t ON t.number = v.valid_to
    WHERE v.set_number = ${setNumber} AND (f.sequence > ${base} OR t.sequence > ${base})`.execute(queries);
  for (let from = 0; from < rows.length; from += PAGE) {
    const keys = rows.slice(from, from + PAGE).map((row) => row.path_key);
    const moved = await readPaths(queries, session, keys);
    const dropped: string[] = [];
    const ends: StoredVersion[] = [];
    const versions: FileVersion[] = [];
    for (const { key, own, ended, inBase, inHead } of moved) {
      const wanted = own ?? (ended ? undefined : inBase);
      if (wanted && inHead && sameVersion(wanted, inHead)) {
        if (own) dropped.push(key);
        continue;
      }
      if (inHead) ends.push(inHead);
      if (wanted && !own) versions.push(wanted);
    }
    await dropEnds(queries, number, keys);
    await dropVersions(queries, session, dropped);
    await addEnds(queries, number, ends);
    await addVersions(queries, setNumber, number, versions);
  }
}

async function readPaths(
  queries: Kysely<Tables>,
  { number, setNumber, base, head }: RebasedSession,
  keys: readonly string[],
): Promise<readonly MovedPath[]> {
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

async function dropVersions(
  queries: Kysely<Tables>,
  { number, setNumber }: RebasedSession,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    DELETE FROM file_version v USING unnest(${keys}::text[]) k (key)
    WHERE v.set_number = ${setNumber} AND v.valid_from = ${number} AND ${isPath('v', sql`k.key`)}`.execute(queries);
}

function sameVersion(a: FileVersion, b: FileVersion): boolean {
  return a.size === b.size && a.modified === b.modified && sameChunks(a.chunks, b.chunks);
}
