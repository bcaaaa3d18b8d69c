import type { Database } from 'better-sqlite3';
import { inTurns } from '../../../database/sqlite/connection-turns.ts';
import type { SqliteDatabase } from '../../../database/sqlite/sqlite-database.ts';
import type { SessionTrees } from '../session-trees.ts';
import type { StoredVersion } from '../tree-store.ts';
import { createSweep } from './session-sweep.ts';
import { IN_TREE, prepareTreeChanges, VERSION_COLUMNS } from './trees.ts';

/** Rows that are read at once. */
const PAGE = 10_000;

/**
 * In SQLite, what runs inside a transaction uses prepared statements on the transaction's own connection: one row at a time,
 * by primary key.
 */
export function createSqliteSessionTrees({ connection, turns, makeRoom }: SqliteDatabase): SessionTrees {
  const standalone = { missingChunks: createMissingChunks(connection), sweep: createSweep(connection, makeRoom) };
  return { ...inTurns(standalone, turns), endVersions: createEndVersions(connection), ...createRebase(connection) };
}

function createMissingChunks(connection: Database): SessionTrees['missingChunks'] {
  // The plus prevents SQLite from sorting: rows are read in the order of their ordinals.
  const page = connection.prepare<[number, number, number], { ordinal: number; hash: string | null }>(
    `SELECT n.ordinal, iif(c.size IS n.size, NULL, 'sha256:' || lower(hex(c.digest))) AS hash
     FROM session_chunk n LEFT JOIN chunk c ON c.id = n.chunk_id
     WHERE +n.session = ? AND n.ordinal > ? ORDER BY n.ordinal LIMIT ?`,
  );
  return async (number, limit) => {
    const missing: string[] = [];
    let after = 0;
    for (;;) {
      const rows = page.all(number, after, PAGE);
      for (const { hash } of rows) if (hash !== null) missing.push(hash);
      if (rows.length < PAGE || missing.length >= limit) return missing.slice(0, limit);
      after = rows.at(-1)!.ordinal;
      await new Promise(setImmediate);
    }
  };
}

/** Updates by primary key, a page at a time: SQLite would scan the whole set for an UPDATE … FROM. */
function createEndVersions(connection: Database): SessionTrees['endVersions'] {
  const page = connection.prepare<[number, string, number], { path_key: string; valid_from: number }>(
    'SELECT path_key, valid_from FROM session_end WHERE session = ? AND path_key > ? ORDER BY path_key LIMIT ?',
  );
  const end = connection.prepare<[number, number, string, number]>(
    'UPDATE file_version SET valid_to = ? WHERE set_number = ? AND path_key = ? AND valid_from = ?',
  );
  return async (_transaction, { number, setNumber }) => {
    let rows = page.all(number, '', PAGE);
    while (rows.length > 0) {
      for (const row of rows) end.run(number, setNumber, row.path_key, row.valid_from);
      rows = page.all(number, rows.at(-1)!.path_key, PAGE);
    }
  };
}

function createRebase(connection: Database): Pick<SessionTrees, 'changedPaths' | 'readPaths' | 'applyRebase'> {
  const changed = connection
    .prepare<[number, number, number], string>(
      `SELECT DISTINCT path_key FROM file_version v WHERE set_number = ?
         AND ((SELECT f.sequence FROM session f WHERE f.number = v.valid_from) > ?
           OR (SELECT t.sequence FROM session t WHERE t.number = v.valid_to) > ?)`,
    )
    .pluck();
  const inTree = connection.prepare<[number, string, number, number], StoredVersion>(
    `SELECT ${VERSION_COLUMNS} FROM file_version v WHERE set_number = ? AND path_key = ? AND ${IN_TREE}`,
  );
  const staged = connection.prepare<[number, string, number], StoredVersion>(
    `SELECT ${VERSION_COLUMNS} FROM file_version WHERE set_number = ? AND path_key = ? AND valid_from = ?`,
  );
  const hasEnd = connection.prepare<[number, string]>('SELECT 1 FROM session_end WHERE session = ? AND path_key = ?');
  const dropStaged = connection.prepare<[number, string, number]>(
    'DELETE FROM file_version WHERE set_number = ? AND path_key = ? AND valid_from = ?',
  );
  const { insertVersion, insertEnd, deleteEnd } = prepareTreeChanges(connection);

  return {
    changedPaths: async (_transaction, { setNumber, base }) => changed.all(setNumber, base, base),
    readPaths: async (_transaction, { number, setNumber, base, head }, keys) =>
      keys.map((key) => ({
        key,
        own: staged.get(setNumber, key, number),
        ended: hasEnd.get(number, key) !== undefined,
        inBase: inTree.get(setNumber, key, base, base),
        inHead: inTree.get(setNumber, key, head, head),
      })),
    applyRebase: async (_transaction, { number, setNumber }, { keys, dropped, ends, versions }) => {
      for (const key of keys) deleteEnd(number, key);
      for (const key of dropped) dropStaged.run(setNumber, key, number);
      for (const { pathKey, validFrom } of ends) insertEnd(number, pathKey, validFrom);
      for (const version of versions) insertVersion(setNumber, number, version);
    },
  };
}
