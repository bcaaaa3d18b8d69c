import type { ColumnTypes } from './column-types.ts';

/** Sessions, restore points, trees of files, chunks, and restores. */
export function backupTables(types: ColumnTypes): string {
  const { dialect, key, integer, bytes, orderedText } = types;
  return `
CREATE TABLE backup_set (
  number ${key},
  account_id TEXT NOT NULL REFERENCES account (id),
  device_id TEXT NOT NULL REFERENCES device (id),
  name ${orderedText} NOT NULL,
  UNIQUE (device_id, name)
);

-- A backup session, and the run that it became when it was completed.
CREATE TABLE session (
  number ${key},
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES account (id),
  device_id TEXT NOT NULL REFERENCES device (id),
  set_number ${integer} NOT NULL REFERENCES backup_set (number),
  -- waiting (for the manifest), receiving (it), open, completed, failed; or continued: another row took over the session's
  -- name (continued_by), and the chunks announced in this row are swept when that row has ended.
  state TEXT NOT NULL,
  continued_by ${integer} REFERENCES session (number),
  created_at ${integer} NOT NULL,
  -- The client's last request, within a few minutes.
  active_at ${integer} NOT NULL,
  ended_at ${integer},
  -- Why a failed session ended: aborted, expired; NULL if its manifest never arrived completely.
  failure TEXT,
  -- The sequence of the tree that its changes are relative to; 0 for the empty tree.
  base ${integer} NOT NULL,
  files ${integer} NOT NULL DEFAULT 0,
  bytes ${integer} NOT NULL DEFAULT 0,
  bytes_needed ${integer} NOT NULL DEFAULT 0,
  chunks_needed ${integer} NOT NULL DEFAULT 0,
  chunks_deduped ${integer} NOT NULL DEFAULT 0,
  -- Bytes of its rows in file_version, which an account's plan limits.
  tree_bytes ${integer} NOT NULL DEFAULT 0,
  progress_json TEXT,
  -- Set on completion. sequence orders all runs of the database.
  sequence ${integer} UNIQUE,
  backup_id TEXT UNIQUE,
  restore_point ${integer},
  storage_used ${integer},
  stats_json TEXT,
  -- Whether the rows that only an unfinished session needs have been deleted.
  swept ${integer} NOT NULL DEFAULT 0,
  -- When the restore point was removed. The row stays, since its sequence still orders the versions of files.
  removed_at ${integer},
  -- Whether the versions that only removed restore points contained have been deleted.
  cleared ${integer} NOT NULL DEFAULT 0
);
${dialect === 'postgres' ? 'CREATE SEQUENCE run_sequence;' : ''}
CREATE INDEX session_point ON session (set_number, restore_point) WHERE sequence IS NOT NULL;
CREATE INDEX session_of_account ON session (account_id, restore_point) WHERE sequence IS NOT NULL;
CREATE INDEX session_with_tree ON session (account_id) WHERE tree_bytes > 0;
CREATE INDEX session_unswept ON session (${dialect === 'sqlite' ? 'swept, state' : 'state'}) WHERE swept = 0;
CREATE INDEX session_of_device ON session (device_id, number);
CREATE INDEX session_failed ON session (device_id, ended_at) WHERE state = 'failed';
CREATE INDEX session_continued ON session (continued_by) WHERE continued_by IS NOT NULL;
CREATE INDEX session_uncleared ON session (set_number) WHERE removed_at IS NOT NULL AND cleared = 0;

-- size (plaintext bytes) and blob_size are set once the blob is stored durably; until then the chunk does not count as stored.
CREATE TABLE chunk (
  id ${key},
  account_number ${integer} NOT NULL,
  digest ${bytes} NOT NULL,
  size ${integer},
  blob_size ${integer}
);
CREATE UNIQUE INDEX chunk_digest ON chunk (account_number, digest);

-- Chunks that were stored and whose blobs are gone, with the sizes that they had: the next manifest that names them needs them again,
-- unless the blob is found.
CREATE TABLE lost_chunk (
  chunk_id ${integer} PRIMARY KEY,
  account_number ${integer} NOT NULL,
  size ${integer} NOT NULL,
  blob_size ${integer} NOT NULL
);
${dialect === 'sqlite' ? SQLITE_TREES : POSTGRES_TREES}
CREATE UNIQUE INDEX session_chunk_once ON session_chunk (chunk_id, session);

CREATE TABLE restore_session (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  device_id TEXT NOT NULL,
  set_number ${integer} NOT NULL,
  sequence ${integer} NOT NULL,
  path TEXT NOT NULL,
  recursive ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  -- Set when the manifest has been sent completely.
  files ${integer},
  bytes ${integer},
  completed_at ${integer},
  -- Whether the agent reports what it does with the session; 1 also means that nothing else emits its events.
  reported ${integer} NOT NULL DEFAULT 0,
  -- When the agent reported the start and the end.
  start_reported_at ${integer},
  end_reported_at ${integer}
);
CREATE INDEX restore_session_expiry ON restore_session (expires_at);
`;
}

/**
 * session_chunk: the chunks that a session has to upload, in the order in which its manifest first names them.
 *
 * file_version: one state of one path, valid from the run of session valid_from up to the run of session valid_to. Rows of a
 * session without a sequence are in no tree yet, so completing a session moves no rows. path_key is pathSortKey(path);
 * modified is milliseconds, or text if milliseconds would lose precision; chunks is packed (../backup/packed-chunks.ts).
 *
 * session_end: the versions that end when the session is completed.
 *
 * file_version_current: the versions that no run has ended. The newest tree of a set consists of them, so that a backup reads no
 * others, however many restore points are kept.
 */
const SQLITE_TREES = `
CREATE TABLE session_chunk (
  ordinal INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  chunk_id INTEGER NOT NULL,
  size INTEGER NOT NULL
);

CREATE TABLE file_version (
  set_number INTEGER NOT NULL,
  path_key TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  size INTEGER NOT NULL,
  modified NOT NULL,
  chunks BLOB NOT NULL,
  PRIMARY KEY (set_number, path_key, valid_from)
) WITHOUT ROWID;
CREATE INDEX file_version_current ON file_version (set_number, path_key) WHERE valid_to IS NULL;

CREATE TABLE session_end (
  session INTEGER NOT NULL,
  path_key TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  PRIMARY KEY (session, path_key)
) WITHOUT ROWID;
`;

/**
 * The backup tables in PostgreSQL. A path may have 65,536 bytes but an index row only 2,704, so these tables are indexed by
 * the first 600 characters of a path (2,400 bytes at most). The order of (beginning, path) is the order of paths;
 * PostgreSQL sorts only among paths with the same beginning.
 */
const POSTGRES_TREES = `
CREATE TABLE session_chunk (
  ordinal BIGINT GENERATED BY DEFAULT AS IDENTITY,
  session BIGINT NOT NULL,
  chunk_id BIGINT NOT NULL,
  size BIGINT NOT NULL,
  PRIMARY KEY (session, ordinal)
);

CREATE TABLE file_version (
  set_number BIGINT NOT NULL,
  valid_from BIGINT NOT NULL,
  valid_to BIGINT,
  size BIGINT NOT NULL,
  -- Milliseconds; NULL if these would lose precision, and modified_text is set instead.
  modified BIGINT,
  modified_text TEXT,
  path_key TEXT COLLATE "C" NOT NULL,
  chunks BYTEA NOT NULL
);
-- Digests do not compress.
ALTER TABLE file_version ALTER COLUMN chunks SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX file_version_once ON file_version (set_number, left(path_key, 600), valid_from,
  (CASE WHEN length(path_key) > 600 THEN md5(path_key) END)) NULLS NOT DISTINCT;
CREATE INDEX file_version_current ON file_version (set_number, left(path_key, 600)) WHERE valid_to IS NULL;

CREATE TABLE session_end (
  session BIGINT NOT NULL,
  valid_from BIGINT NOT NULL,
  path_key TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX session_end_once ON session_end (session, left(path_key, 600),
  (CASE WHEN length(path_key) > 600 THEN md5(path_key) END)) NULLS NOT DISTINCT;
`;
