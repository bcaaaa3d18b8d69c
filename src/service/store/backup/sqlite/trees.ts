import type { Database } from 'better-sqlite3';
import { inTurns } from '../../database/connection-turns.ts';
import type { SqliteDatabase } from '../../database/sqlite-database.ts';
import type { BackupSession } from '../session-store.ts';
import {
  ErasedSessionError,
  type FileVersion,
  type StagedState,
  type StoredVersion,
  type TreeStore,
} from '../tree-store.ts';

/** Sorts after every text: SQLite orders blobs after texts. */
const NO_BOUND = Buffer.alloc(0);

export const VERSION_COLUMNS = 'path_key AS pathKey, valid_from AS validFrom, size, modified, chunks';

/** SQL: whether a version belongs to the tree of the run with a sequence (bound twice). */
export const IN_TREE = `
  (SELECT f.sequence FROM session f WHERE f.number = v.valid_from) <= ?
  AND (v.valid_to IS NULL OR (SELECT t.sequence FROM session t WHERE t.number = v.valid_to) > ?)`;

/** The trees in SQLite, by prepared statements (docs/decisions/0022: the fastest way through a manifest of a million files). */
export function createSqliteTreeStore({ connection, turns }: SqliteDatabase): TreeStore {
  const range = connection.prepare<[number, string, string | Buffer, number, number, number], StoredVersion>(
    `SELECT ${VERSION_COLUMNS} FROM file_version v
     WHERE set_number = ? AND path_key > ? AND path_key <= ? AND ${IN_TREE} ORDER BY path_key LIMIT ?`,
  );
  const one = connection.prepare<[number, string, number, number], StoredVersion>(
    `SELECT ${VERSION_COLUMNS} FROM file_version v WHERE set_number = ? AND path_key = ? AND ${IN_TREE}`,
  );
  const staged = connection.prepare<[number, string, number]>(
    'SELECT 1 FROM file_version WHERE set_number = ? AND path_key = ? AND valid_from = ?',
  );
  const ended = connection.prepare<[number, string]>('SELECT 1 FROM session_end WHERE session = ? AND path_key = ?');
  const exists = connection.prepare<[number]>('SELECT 1 FROM session WHERE number = ?');
  const { insertVersion, insertEnd, deleteEnd } = prepareTreeChanges(connection);
  const stage = connection.transaction((...[session, changes]: Parameters<TreeStore['stage']>) => {
    if (exists.get(session.number) === undefined) throw new ErasedSessionError(`session ${session.number} was erased`);
    for (const version of changes.versions) insertVersion(session.setNumber, session.number, version);
    for (const { pathKey, validFrom } of changes.ends) insertEnd(session.number, pathKey, validFrom);
    for (const pathKey of changes.continued) deleteEnd(session.number, pathKey);
  });
  const states = connection.transaction((session: BackupSession, pathKeys: readonly string[]) =>
    pathKeys.map((pathKey): StagedState => ({
      base: one.get(session.setNumber, pathKey, session.base, session.base),
      staged: staged.get(session.setNumber, pathKey, session.number) !== undefined,
      ended: ended.get(session.number, pathKey) !== undefined,
    })),
  );

  const store: TreeStore = {
    range: async ({ setNumber, sequence, after, upTo, limit }) =>
      sequence === 0 ? [] : range.all(setNumber, after, upTo ?? NO_BOUND, sequence, sequence, limit),
    find: async (setNumber, sequence, pathKey) => one.get(setNumber, pathKey, sequence, sequence),
    staged: async (session, pathKeys) => states(session, pathKeys),
    stage: async (session, changes) => stage.immediate(session, changes),
  };
  return inTurns(store, turns);
}

/** Stages the changes of a session, a row at a time. */
interface TreeStatements {
  readonly insertVersion: (setNumber: number, session: number, version: FileVersion) => void;
  readonly insertEnd: (session: number, pathKey: string, validFrom: number) => void;
  readonly deleteEnd: (session: number, pathKey: string) => void;
}

export function prepareTreeChanges(connection: Database): TreeStatements {
  const insert = connection.prepare<[number, string, number, number, number | string, Buffer]>(
    `INSERT INTO file_version (set_number, path_key, valid_from, size, modified, chunks) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const end = connection.prepare<[number, string, number]>(
    'INSERT INTO session_end (session, path_key, valid_from) VALUES (?, ?, ?)',
  );
  const remove = connection.prepare<[number, string]>('DELETE FROM session_end WHERE session = ? AND path_key = ?');
  return {
    insertVersion: (setNumber, session, { pathKey, size, modified, chunks }) =>
      void insert.run(setNumber, pathKey, session, size, modified, chunks),
    insertEnd: (session, pathKey, validFrom) => void end.run(session, pathKey, validFrom),
    deleteEnd: (session, pathKey) => void remove.run(session, pathKey),
  };
}
