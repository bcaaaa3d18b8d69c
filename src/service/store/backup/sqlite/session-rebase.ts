import type { Database } from 'better-sqlite3';
import { sameChunks } from '../packed-chunks.ts';
import type { FileVersion, StoredVersion } from '../../metadata-store.ts';
import { IN_TREE } from './trees.ts';

/**
 * A session's changes are relative to the tree that was the newest when it began. Where another session of the set has
 * been completed since, this makes them relative to the newest tree of now, so that the result is exactly the manifest
 * that was sent. To be called inside the transaction that completes the session.
 *
 * It reads all versions of the set once to find what the other session did; two sessions of one set at once are rare.
 */
export function createRebase(
  database: Database,
): (session: number, setNumber: number, base: number, head: number) => void {
  // What was begun or ended behind the base, up to now.
  const moved = database
    .prepare<[number, number, number], string>(
      `SELECT DISTINCT path_key FROM file_version v WHERE set_number = ?
         AND ((SELECT f.sequence FROM session f WHERE f.number = v.valid_from) > ?
           OR (SELECT t.sequence FROM session t WHERE t.number = v.valid_to) > ?)`,
    )
    .pluck();
  const inTree = database.prepare<[number, string, number, number], StoredVersion>(
    `SELECT path_key AS pathKey, valid_from AS validFrom, size, modified, chunks FROM file_version v
     WHERE set_number = ? AND path_key = ? AND ${IN_TREE}`,
  );
  const staged = database.prepare<[number, string, number], StoredVersion>(
    `SELECT path_key AS pathKey, valid_from AS validFrom, size, modified, chunks FROM file_version
     WHERE set_number = ? AND path_key = ? AND valid_from = ?`,
  );
  const dropStaged = database.prepare<[number, string, number]>(
    'DELETE FROM file_version WHERE set_number = ? AND path_key = ? AND valid_from = ?',
  );
  const stage = database.prepare<[number, string, number, number, number | string, Buffer]>(
    `INSERT INTO file_version (set_number, path_key, valid_from, size, modified, chunks) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const dropEnd = database
    .prepare<[number, string], number>('DELETE FROM session_end WHERE session = ? AND path_key = ? RETURNING 1')
    .pluck();
  const end = database.prepare<[number, string, number]>(
    'INSERT INTO session_end (session, path_key, valid_from) VALUES (?, ?, ?)',
  );

  return (session, setNumber, base, head) => {
    for (const key of moved.all(setNumber, base, base)) {
      const own = staged.get(setNumber, key, session);
      const ended = dropEnd.get(session, key) !== undefined;
      const wanted = own ?? (ended ? undefined : inTree.get(setNumber, key, base, base));
      const current = inTree.get(setNumber, key, head, head);
      if (wanted && current && sameVersion(wanted, current)) {
        if (own) dropStaged.run(setNumber, key, session);
        continue;
      }
      if (current) end.run(session, key, current.validFrom);
      if (wanted && !own) stage.run(setNumber, key, session, wanted.size, wanted.modified, wanted.chunks);
    }
  };
}

function sameVersion(a: FileVersion, b: FileVersion): boolean {
  return a.size === b.size && a.modified === b.modified && sameChunks(a.chunks, b.chunks);
}
