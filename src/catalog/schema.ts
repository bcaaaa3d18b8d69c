import type Database from 'better-sqlite3';

export type CatalogDatabase = Database.Database;

/** Stored as `user_version`. A change to the schema increments it. */
export const SCHEMA_VERSION = 5;
/** Stored as `application_id`: a damaged `user_version` is not mistaken for a newer one. */
export const APPLICATION_ID = 0x48_46_00_00;

/**
 * Entries are grouped by directory, so that a scan reads a folder's last state as one range, in the order in which it
 * compares it. Text compares as UTF-8 bytes, which is the order of names in manifests.
 */
export const SCHEMA = `
CREATE TABLE backup_set (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL UNIQUE,
  revision      INTEGER NOT NULL DEFAULT 1, -- what is written now has this number (revisions.ts)
  roots         INTEGER NOT NULL DEFAULT 0  -- the directory that holds its roots
) STRICT;

-- A directory's entries are stored in blocks of some dozens: most of a run's time would be spent on reading single rows.
-- The roots of a set are in a directory of their own, named by their full paths.
CREATE TABLE directory (
  id            INTEGER PRIMARY KEY,
  backup_set    INTEGER NOT NULL REFERENCES backup_set (id) ON DELETE CASCADE,
  parent        INTEGER,                    -- NULL for the directory of a set's roots
  name          TEXT,
  split         INTEGER NOT NULL DEFAULT 0, -- 1 if there are, or once were, blocks after the first
  entries       BLOB NOT NULL DEFAULT x'',  -- the first block: entry-record.ts, by the bytes of their names
  place_sum     INTEGER NOT NULL,           -- of id, backup_set, parent and name (sums.ts)
  sum           INTEGER NOT NULL            -- of the first block and split
) STRICT;
CREATE INDEX directory_by_set ON directory (backup_set);

CREATE TABLE block (
  directory     INTEGER NOT NULL REFERENCES directory (id) ON DELETE CASCADE,
  first         TEXT NOT NULL,              -- holds the names from here up to the next block's
  entries       BLOB NOT NULL,
  sum           INTEGER NOT NULL,           -- sums.ts
  UNIQUE (directory, first)
) STRICT;

-- The roots of the newest restore point.
CREATE TABLE root (
  backup_set    INTEGER NOT NULL REFERENCES backup_set (id) ON DELETE CASCADE,
  path          TEXT NOT NULL,
  real          TEXT NOT NULL,              -- where it led to; another path if there are links on the way
  PRIMARY KEY (backup_set, path)
) STRICT, WITHOUT ROWID;

-- Paths whose entry was written or removed since the oldest committed tree. Sets without a committed tree have none.
CREATE TABLE dirty (
  backup_set    INTEGER NOT NULL REFERENCES backup_set (id) ON DELETE CASCADE,
  key           TEXT NOT NULL,              -- pathSortKey of the clear entry path
  written_at    INTEGER NOT NULL,           -- revision of the newest write; 0 if there was none
  removed_at    INTEGER NOT NULL,           -- revision in which it was last removed with everything below it; 0 likewise
  PRIMARY KEY (backup_set, key)
) STRICT, WITHOUT ROWID;

-- What each destination's newest restore point of a set contains.
CREATE TABLE committed_tree (
  backup_set    INTEGER NOT NULL REFERENCES backup_set (id) ON DELETE CASCADE,
  destination   TEXT NOT NULL,
  revision      INTEGER NOT NULL,           -- it has what was written up to this one
  device        TEXT NOT NULL,
  backup_id     TEXT NOT NULL,              -- the service's id of the run that stored the tree
  tree_hash     TEXT NOT NULL,
  private_names INTEGER NOT NULL,
  key_id        TEXT NOT NULL,              -- of the master key that proves the tree
  full_at       INTEGER NOT NULL,           -- time of the last full tree and manifest, ms since the epoch
  runs_since    INTEGER NOT NULL,
  PRIMARY KEY (backup_set, destination)
) STRICT, WITHOUT ROWID;

-- The pieces of a tree's records, in order; the footer is not one of them.
CREATE TABLE tree_piece (
  backup_set    INTEGER NOT NULL,
  destination   TEXT NOT NULL,
  number        INTEGER NOT NULL,
  first_path    TEXT NOT NULL,              -- path of the first record
  chunks        BLOB NOT NULL,              -- chunk/chunk-list.ts
  records       INTEGER NOT NULL,
  files         INTEGER NOT NULL,
  bytes         INTEGER NOT NULL,
  PRIMARY KEY (backup_set, destination, number),
  FOREIGN KEY (backup_set, destination) REFERENCES committed_tree ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Chunks that failed verification: a destination holds them damaged and does not accept them again.
CREATE TABLE damaged_chunk (
  digest        BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE restore_point (
  destination   TEXT NOT NULL,
  device        TEXT NOT NULL,
  backup_set    TEXT NOT NULL,
  time          TEXT NOT NULL,
  backup_id     TEXT NOT NULL,
  files         INTEGER NOT NULL,
  bytes         INTEGER NOT NULL,
  completed     TEXT,                       -- if that was clearly earlier than time
  tree_hash     TEXT,                       -- of its tree, if this computer made or read it
  listed        INTEGER NOT NULL DEFAULT 0, -- 1 if the destination listed it since
  PRIMARY KEY (destination, device, backup_set, time)
) STRICT, WITHOUT ROWID;

-- The newest tree seen of each device and set: an older or different answer of the service is suspicious.
CREATE TABLE tree_seen (
  destination   TEXT NOT NULL,
  device        TEXT NOT NULL,
  backup_set    TEXT NOT NULL,
  sequence      INTEGER NOT NULL,
  tree_hash     TEXT NOT NULL,
  previous_tree TEXT,                       -- that of the tree that it continues
  created       INTEGER NOT NULL,           -- ms since the epoch
  PRIMARY KEY (destination, device, backup_set)
) STRICT, WITHOUT ROWID;

-- Destinations of which the last reading could not vouch for the list of restore points, and since when (ms since the epoch).
CREATE TABLE doubt (
  destination   TEXT PRIMARY KEY,
  since         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Destinations that remove nothing since a run showed signs of ransomware, as far as this computer has read it. The set is '' for the hold itself.
CREATE TABLE alarm (
  destination   TEXT NOT NULL,
  backup_set    TEXT NOT NULL,
  since         INTEGER NOT NULL,           -- ms since the epoch
  reasons       TEXT NOT NULL,              -- words with spaces between
  PRIMARY KEY (destination, backup_set)
) STRICT, WITHOUT ROWID;

-- Backups, restores, verifications, checks and repairs (job/journal.ts).
CREATE TABLE job (
  id            INTEGER PRIMARY KEY,
  kind          TEXT NOT NULL,
  backup_set    TEXT NOT NULL,
  destination   TEXT NOT NULL,
  state         TEXT NOT NULL,
  started_at    INTEGER NOT NULL,           -- when it was asked for, until it begins
  ended_at      INTEGER,
  began_by      TEXT,                       -- the caller's word for why the job began
  request       TEXT,                       -- JSON (job/job-request.ts)
  report        TEXT,                       -- JSON: the report at the end, or the error
  files_done    INTEGER,                    -- progress, as of progress_at
  bytes_done    INTEGER,
  progress_at   INTEGER,
  resumes       INTEGER REFERENCES job (id),-- the interrupted job that this one continues
  kills         INTEGER NOT NULL DEFAULT 0, -- how many of the jobs that it continues ended with their process
  target_volume TEXT,                       -- mount point of a restore's target when it was asked for
  waits_for     TEXT                        -- path that must exist before a waiting job can begin
) STRICT;
CREATE INDEX job_by_set ON job (backup_set, started_at);
CREATE INDEX job_by_start ON job (started_at);
CREATE INDEX job_by_end ON job (ended_at, kind, state, backup_set, destination);
CREATE INDEX job_by_kind ON job (backup_set, kind);
CREATE INDEX job_by_state ON job (state) WHERE ended_at IS NULL;
CREATE INDEX job_by_resumed ON job (resumes) WHERE resumes IS NOT NULL;

CREATE TABLE job_transition (
  job           INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  number        INTEGER NOT NULL,
  state         TEXT NOT NULL,
  at            INTEGER NOT NULL,
  reason        TEXT,
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;

-- Sums over the rows of the smaller tables (row-sums.ts).
CREATE TABLE row_sum (
  name          TEXT PRIMARY KEY,
  value         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The sum of each job's row.
CREATE TABLE job_sum (
  job           INTEGER PRIMARY KEY,
  value         INTEGER NOT NULL
) STRICT;

-- When the file was last checked ('checked'); when it was made anew ('made-anew') and lacked jobs then ('lost-jobs').
CREATE TABLE upkeep (
  name          TEXT PRIMARY KEY,
  at            INTEGER NOT NULL            -- ms since the epoch
) STRICT, WITHOUT ROWID;
`;
