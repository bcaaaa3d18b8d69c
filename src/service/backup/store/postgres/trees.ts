import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { BackupSession } from '../session.ts';
import { ErasedSessionError } from '../tree-store.ts';
import type { FileVersion, StagedState, StoredVersion, TreeChanges, TreeRange, TreeStore } from '../tree-store.ts';
import type { SqlDatabase } from '../../../database/sql-database.ts';
import type { Tables } from '../../../database/tables.ts';

export interface VersionRow {
  readonly path_key: string;
  readonly valid_from: number;
  readonly size: number;
  readonly modified: number | null;
  readonly modified_text: string | null;
  readonly chunks: Buffer;
}

export const COLUMNS = sql.raw('v.path_key, v.valid_from, v.size, v.modified, v.modified_text, v.chunks');

/** Returns whether a version belongs to the tree of the run with a sequence. */
export function inTree(sequence: number): RawBuilder<boolean> {
  return sql`(SELECT f.sequence FROM session f WHERE f.number = v.valid_from) <= ${sequence}
    AND (v.valid_to IS NULL OR (SELECT t.sequence FROM session t WHERE t.number = v.valid_to) > ${sequence})`;
}

/**
 * Returns the versions of one tree that meet a condition, each part in an order and limited by `tail`. The newest tree consists of
 * versions that no run has ended, which have an index of their own; the second part is not executed for it.
 */
function versionsOf(
  { setNumber, sequence }: Pick<TreeRange, 'setNumber' | 'sequence'>,
  condition: RawBuilder<unknown>,
  tail: RawBuilder<unknown>,
): RawBuilder<VersionRow> {
  const part = (which: RawBuilder<unknown>) => sql`(SELECT ${COLUMNS} FROM file_version v
    WHERE v.set_number = ${setNumber} AND ${condition} AND ${which}
      AND (SELECT f.sequence FROM session f WHERE f.number = v.valid_from) <= ${sequence} ${tail})`;
  return sql`${part(sql`v.valid_to IS NULL`)} UNION ALL ${part(sql`v.valid_to IS NOT NULL
    AND (SELECT n.sequence FROM session n WHERE n.set_number = ${setNumber} AND n.sequence IS NOT NULL
      ORDER BY n.restore_point DESC LIMIT 1) > ${sequence}
    AND (SELECT t.sequence FROM session t WHERE t.number = v.valid_to) > ${sequence}`)}`;
}

/** Returns whether a row belongs to a path. The index contains only the first 600 characters of paths. */
export function isPath(row: 'v' | 'e', key: RawBuilder<unknown>): RawBuilder<boolean> {
  const column = sql.ref(`${row}.path_key`);
  return sql`left(${column}, 600) = left(${key}, 600) AND ${column} = ${key}`;
}

/** The trees in PostgreSQL, by arrays of rows. */
export function createPostgresTreeStore(database: SqlDatabase): TreeStore {
  const { queries } = database;
  return {
    range: async ({ setNumber, sequence, after, upTo, limit }) => {
      if (sequence === 0) return [];
      const bound =
        upTo === undefined
          ? sql``
          : sql`AND left(v.path_key, 600) <= left(${upTo}::text, 600) AND v.path_key <= ${upTo}`;
      const condition = sql`left(v.path_key, 600) >= left(${after}::text, 600) AND v.path_key > ${after} ${bound}`;
      const tail = sql`ORDER BY left(v.path_key, 600), v.path_key LIMIT ${limit}`;
      const { rows } = await sql<VersionRow>`
        SELECT ${COLUMNS} FROM (${versionsOf({ setNumber, sequence }, condition, tail)}) v ${tail}`.execute(queries);
      return rows.map(versionOf);
    },
    find: async (setNumber, sequence, pathKey) => {
      const condition = isPath('v', sql`${pathKey}::text`);
      const { rows } = await versionsOf({ setNumber, sequence }, condition, sql``).execute(queries);
      return rows[0] && versionOf(rows[0]);
    },
    staged: async ({ number, setNumber, base }, pathKeys) => {
      const key = sql`k.key`;
      const { rows } = await sql<VersionRow & { ord: number; found: boolean | null; staged: boolean; ended: boolean }>`
        SELECT k.ord, b.*,
          EXISTS (SELECT 1 FROM file_version v
            WHERE v.set_number = ${setNumber} AND v.valid_from = ${number} AND ${isPath('v', key)}) AS staged,
          EXISTS (SELECT 1 FROM session_end e WHERE e.session = ${number} AND ${isPath('e', key)}) AS ended
        FROM unnest(${pathKeys}::text[]) WITH ORDINALITY k (key, ord)
        LEFT JOIN LATERAL (SELECT TRUE AS found, ${COLUMNS} FROM (
          ${versionsOf({ setNumber, sequence: base }, isPath('v', key), sql`OFFSET 0`)}) v) b ON TRUE
        ORDER BY k.ord`.execute(queries);
      return rows.map((row): StagedState => ({
        base: row.found ? versionOf(row) : undefined,
        staged: row.staged,
        ended: row.ended,
      }));
    },
    stage: (session, changes) =>
      database.lockingTransaction(async (transaction) => {
        const { number } = session;
        const kept = transaction.queries.selectFrom('session').select('number').where('number', '=', number);
        if (!(await kept.forKeyShare().executeTakeFirst()))
          throw new ErasedSessionError(`session ${number} was erased`);
        await addVersions(transaction.queries, session, changes.versions);
        await addEnds(transaction.queries, session.number, changes.ends);
        await deleteEnds(transaction.queries, session.number, changes.continued);
      }),
  };
}

/** Inserts versions that a session brings. */
export async function addVersions(
  queries: Kysely<Tables>,
  { number, setNumber }: Pick<BackupSession, 'number' | 'setNumber'>,
  versions: readonly FileVersion[],
): Promise<void> {
  if (versions.length === 0) return;
  const keys = versions.map(({ pathKey }) => pathKey);
  const sizes = versions.map(({ size }) => size);
  const times = versions.map(({ modified }) => (typeof modified === 'number' ? modified : null));
  const texts = versions.map(({ modified }) => (typeof modified === 'string' ? modified : null));
  const chunks = versions.map((version) => version.chunks);
  await sql`
    INSERT INTO file_version (set_number, valid_from, path_key, size, modified, modified_text, chunks)
    SELECT ${setNumber}, ${number}, * FROM unnest(
      ${keys}::text[], ${sizes}::bigint[], ${times}::bigint[], ${texts}::text[], ${chunks}::bytea[])`.execute(queries);
}

export async function addEnds(queries: Kysely<Tables>, session: number, ends: TreeChanges['ends']): Promise<void> {
  if (ends.length === 0) return;
  const keys = ends.map(({ pathKey }) => pathKey);
  const begins = ends.map(({ validFrom }) => validFrom);
  await sql`
    INSERT INTO session_end (session, path_key, valid_from)
    SELECT ${session}, * FROM unnest(${keys}::text[], ${begins}::bigint[])`.execute(queries);
}

export async function deleteEnds(queries: Kysely<Tables>, session: number, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    DELETE FROM session_end e USING unnest(${keys}::text[]) k (key)
    WHERE e.session = ${session} AND ${isPath('e', sql`k.key`)}`.execute(queries);
}

export function versionOf(row: VersionRow): StoredVersion {
  return {
    pathKey: row.path_key,
    validFrom: row.valid_from,
    size: row.size,
    modified: row.modified ?? row.modified_text!,
    chunks: row.chunks,
  };
}
