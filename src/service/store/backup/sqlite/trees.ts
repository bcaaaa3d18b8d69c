import type { Database } from 'better-sqlite3';
import type { BackupSession, StagedState, StoredVersion, TreeStore } from '../../metadata-store.ts';

/** Sorts behind every text: SQLite orders blobs after texts. */
const NO_BOUND = Buffer.alloc(0);

const COLUMNS = 'path_key AS pathKey, valid_from AS validFrom, size, modified, chunks';

/** Whether a version belongs to the tree of the run with a sequence (bound twice). */
export const IN_TREE = `
  (SELECT f.sequence FROM session f WHERE f.number = v.valid_from) <= ?
  AND (v.valid_to IS NULL OR (SELECT t.sequence FROM session t WHERE t.number = v.valid_to) > ?)`;

export function createTreeStore(database: Database): TreeStore {
  const range = database.prepare<[number, string, string | Buffer, number, number, number], StoredVersion>(
    `SELECT ${COLUMNS} FROM file_version v
     WHERE set_number = ? AND path_key > ? AND path_key <= ? AND ${IN_TREE} ORDER BY path_key LIMIT ?`,
  );
  const one = database.prepare<[number, string, number, number], StoredVersion>(
    `SELECT ${COLUMNS} FROM file_version v WHERE set_number = ? AND path_key = ? AND ${IN_TREE}`,
  );
  const staged = database.prepare<[number, string, number]>(
    'SELECT 1 FROM file_version WHERE set_number = ? AND path_key = ? AND valid_from = ?',
  );
  const ended = database.prepare<[number, string]>('SELECT 1 FROM session_end WHERE session = ? AND path_key = ?');
  const insert = database.prepare<[number, string, number, number, number | string, Buffer]>(
    `INSERT INTO file_version (set_number, path_key, valid_from, size, modified, chunks) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const end = database.prepare<[number, string, number]>(
    'INSERT INTO session_end (session, path_key, valid_from) VALUES (?, ?, ?)',
  );
  const goOn = database.prepare<[number, string]>('DELETE FROM session_end WHERE session = ? AND path_key = ?');
  const stage = database.transaction((...[session, changes]: Parameters<TreeStore['stage']>) => {
    for (const version of changes.versions) {
      const { pathKey, size, modified, chunks } = version;
      insert.run(session.setNumber, pathKey, session.number, size, modified, chunks);
    }
    for (const { pathKey, validFrom } of changes.ends) end.run(session.number, pathKey, validFrom);
    for (const pathKey of changes.continued) goOn.run(session.number, pathKey);
  });

  const states = database.transaction((session: BackupSession, pathKeys: readonly string[]) =>
    pathKeys.map((pathKey): StagedState => ({
      base: one.get(session.setNumber, pathKey, session.base, session.base),
      staged: staged.get(session.setNumber, pathKey, session.number) !== undefined,
      ended: ended.get(session.number, pathKey) !== undefined,
    })),
  );

  return {
    range: async ({ setNumber, sequence, after, upTo, limit }) =>
      sequence === 0 ? [] : range.all(setNumber, after, upTo ?? NO_BOUND, sequence, sequence, limit),
    find: async (setNumber, sequence, pathKey) => one.get(setNumber, pathKey, sequence, sequence),
    staged: async (session, pathKeys) => states(session, pathKeys),
    stage: async (session, changes) => stage.immediate(session, changes),
  };
}
