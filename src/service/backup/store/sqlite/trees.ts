import type { Database } from 'better-sqlite3';
import { inTurns } from '../../../database/sqlite/connection-turns.ts';
import type { SqliteDatabase } from '../../../database/sqlite/sqlite-database.ts';
import type { BackupSession } from '../session.ts';
import {
  ErasedSessionError,
  type FileVersion,
  type StagedState,
  type StoredVersion,
  type TreeRange,
  type TreeStore,
} from '../tree-store.ts';

/** Sorts after every text: SQLite orders blobs after texts. */
const NO_BOUND = Buffer.alloc(0);

export const VERSION_COLUMNS = 'path_key AS pathKey, valid_from AS validFrom, size, modified, chunks';

/** SQL: whether a version belongs to the tree of the run with a sequence (bound twice). */
export const IN_TREE = `
  (SELECT f.sequence FROM session f WHERE f.number = v.valid_from) <= ?
  AND (v.valid_to IS NULL OR (SELECT t.sequence FROM session t WHERE t.number = v.valid_to) > ?)`;

/** SQL: whether no run of a set (bound first) came after the run with a sequence (bound second). */
const IS_NEWEST = `SELECT 1 WHERE (SELECT n.sequence FROM session n WHERE n.set_number = ? AND n.sequence IS NOT NULL
  ORDER BY n.restore_point DESC LIMIT 1) <= ?`;

/** SQL: the versions that no run has ended, by their own index. */
const CURRENT = 'file_version v INDEXED BY file_version_current';

/** SQL: whether a version of `CURRENT` belongs to the newest tree, whose run has a sequence (bound). */
const IN_NEWEST = `v.valid_to IS NULL AND (SELECT f.sequence FROM session f WHERE f.number = v.valid_from) <= ?`;

/** The trees in SQLite, by prepared statements (docs/decisions/0022: the fastest way through a manifest of a million files). */
export function createSqliteTreeStore({ connection, turns }: SqliteDatabase): TreeStore {
  const range = connection.prepare<[number, string, string | Buffer, number, number, number], StoredVersion>(
    `SELECT ${VERSION_COLUMNS} FROM file_version v
     WHERE set_number = ? AND path_key > ? AND path_key <= ? AND ${IN_TREE} ORDER BY path_key LIMIT ?`,
  );
  const one = connection.prepare<[number, string, number, number], StoredVersion>(
    `SELECT ${VERSION_COLUMNS} FROM file_version v WHERE set_number = ? AND path_key = ? AND ${IN_TREE}`,
  );
  const isNewest = connection.prepare<[number, number]>(IS_NEWEST);
  const newestRange = connection.prepare<[number, string, string | Buffer, number, number], StoredVersion>(
    `SELECT ${VERSION_COLUMNS} FROM ${CURRENT}
     WHERE set_number = ? AND path_key > ? AND path_key <= ? AND ${IN_NEWEST} ORDER BY path_key LIMIT ?`,
  );
  const newestOne = connection.prepare<[number, string, number], StoredVersion>(
    `SELECT ${VERSION_COLUMNS} FROM ${CURRENT} WHERE set_number = ? AND path_key = ? AND ${IN_NEWEST}`,
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
  const finder = (setNumber: number, sequence: number) =>
    isNewest.get(setNumber, sequence) === undefined
      ? (pathKey: string) => one.get(setNumber, pathKey, sequence, sequence)
      : (pathKey: string) => newestOne.get(setNumber, pathKey, sequence);
  const find = connection.transaction((setNumber: number, sequence: number, pathKey: string) =>
    finder(setNumber, sequence)(pathKey),
  );
  const states = connection.transaction(
    ({ number, setNumber, base }: BackupSession, pathKeys: readonly string[]): StagedState[] => {
      const baseOf = finder(setNumber, base);
      return pathKeys.map((pathKey) => ({
        base: baseOf(pathKey),
        staged: staged.get(setNumber, pathKey, number) !== undefined,
        ended: ended.get(number, pathKey) !== undefined,
      }));
    },
  );
  const read = connection.transaction(({ setNumber, sequence, after, upTo, limit }: TreeRange) =>
    isNewest.get(setNumber, sequence) === undefined
      ? range.all(setNumber, after, upTo ?? NO_BOUND, sequence, sequence, limit)
      : newestRange.all(setNumber, after, upTo ?? NO_BOUND, sequence, limit),
  );

  const store: TreeStore = {
    range: async (wanted) => (wanted.sequence === 0 ? [] : read(wanted)),
    find: async (setNumber, sequence, pathKey) => find(setNumber, sequence, pathKey),
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
