import type { Migration } from './migration.ts';

/** What keeps restore points, what removes them, and what becomes of chunks that nothing refers to any more. */
export const retention: Migration = {
  number: 30,
  name: 'retention',
  sql: ({ integer, key, bytes }) => `
-- A run that is no restore point any more keeps its row: its sequence still orders the versions of files.
ALTER TABLE session ADD COLUMN removed_at ${integer};
-- Whether versions of files that only removed restore points had are gone too.
ALTER TABLE session ADD COLUMN cleared ${integer} NOT NULL DEFAULT 0;
CREATE INDEX session_uncleared ON session (set_number) WHERE removed_at IS NOT NULL AND cleared = 0;

CREATE TABLE retention_set (
  set_number ${integer} PRIMARY KEY REFERENCES backup_set (number),
  -- NULL keeps everything.
  policy_json TEXT,
  -- Only ever grows.
  minimum_days ${integer} NOT NULL DEFAULT 0,
  applied_at ${integer} NOT NULL DEFAULT 0
);

CREATE TABLE retention_account (
  account_id TEXT PRIMARY KEY REFERENCES account (id),
  minimum_days ${integer} NOT NULL DEFAULT 0,
  -- Since when nothing is removed.
  held_at ${integer},
  -- When chunks were last looked through.
  collected_at ${integer} NOT NULL DEFAULT 0
);

CREATE TABLE pinned_point (
  session ${integer} PRIMARY KEY REFERENCES session (number),
  pinned_at ${integer} NOT NULL
);

-- One look through an account's chunks for those that nothing refers to.
CREATE TABLE collection (
  mark ${key},
  account_id TEXT NOT NULL REFERENCES account (id),
  condemned_at ${integer} NOT NULL,
  -- The newest session after the last chunk was condemned; NULL until then.
  barrier ${integer}
);

-- Chunks that are deleted unless somebody is told of them before.
CREATE TABLE condemned_chunk (
  chunk_id ${integer} PRIMARY KEY,
  mark ${integer} NOT NULL
);
CREATE INDEX condemned_chunk_of_mark ON condemned_chunk (mark, chunk_id);

-- Chunks that are gone, and whose blobs have to be deleted still.
CREATE TABLE dropped_blob (
  chunk_id ${integer} PRIMARY KEY,
  account_id TEXT NOT NULL,
  digest ${bytes} NOT NULL,
  size ${integer} NOT NULL
);

-- One row: how often chunks were dropped.
CREATE TABLE collection_state (
  id ${integer} PRIMARY KEY,
  drops ${integer} NOT NULL
);
INSERT INTO collection_state (id, drops) VALUES (1, 0);
`,
};
