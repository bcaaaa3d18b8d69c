/**
 * Entries stand by directory, so that a scan reads a folder's last state in one range, in the order in which it
 * compares it. Text compares as UTF-8 bytes, which is the order of names in manifests.
 */
export const migration0001 = `
CREATE TABLE backup_set (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL UNIQUE,
  -- Runs count up; what a run writes becomes the last known state once the run is committed.
  run           INTEGER NOT NULL DEFAULT 0,
  committed_run INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE directory (
  id            INTEGER PRIMARY KEY,
  backup_set    INTEGER NOT NULL REFERENCES backup_set (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX directory_by_set ON directory (backup_set);

-- The roots of a set stand in a directory of their own, named by their whole paths.
CREATE TABLE entry (
  directory     INTEGER NOT NULL REFERENCES directory (id) ON DELETE CASCADE,
  name          TEXT NOT NULL,
  kind          INTEGER NOT NULL, -- 1 file, 2 directory, 3 symlink
  stat          BLOB NOT NULL,    -- stat-record.ts
  child         INTEGER,          -- a directory's own id
  detail        TEXT,             -- symlink target and extended attributes, JSON
  chunks        BLOB,             -- chunk-list.ts
  run           INTEGER NOT NULL, -- the run that wrote this version
  kept_stat     BLOB,             -- the version in the newest restore point, where this one is newer
  kept_chunks   BLOB,
  PRIMARY KEY (directory, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE root (
  backup_set    INTEGER NOT NULL REFERENCES backup_set (id) ON DELETE CASCADE,
  path          TEXT NOT NULL,
  mount_point   INTEGER NOT NULL,
  entries       INTEGER NOT NULL, -- direct children at the last commit
  PRIMARY KEY (backup_set, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE restore_point (
  device        TEXT NOT NULL,
  backup_set    TEXT NOT NULL,
  time          TEXT NOT NULL,
  backup_id     TEXT NOT NULL,
  files         INTEGER NOT NULL,
  bytes         INTEGER NOT NULL,
  PRIMARY KEY (device, backup_set, time)
) STRICT, WITHOUT ROWID;

-- The newest tree seen of each device and set: an older or other answer of the service is suspicious.
CREATE TABLE tree_seen (
  device        TEXT NOT NULL,
  backup_set    TEXT NOT NULL,
  sequence      INTEGER NOT NULL,
  tree_hash     TEXT NOT NULL,
  PRIMARY KEY (device, backup_set)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
  id            INTEGER PRIMARY KEY,
  kind          TEXT NOT NULL,
  backup_set    TEXT NOT NULL,
  state         TEXT NOT NULL,
  started_at    INTEGER NOT NULL,
  ended_at      INTEGER,
  report        TEXT
) STRICT;
CREATE INDEX job_by_set ON job (backup_set, started_at);

CREATE TABLE job_transition (
  job           INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  number        INTEGER NOT NULL,
  state         TEXT NOT NULL,
  at            INTEGER NOT NULL,
  reason        TEXT,
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
`;
