/** Stored as `user_version`. A file with another one is made anew. */
export const SCHEMA_VERSION = 3;

/** The lower limit of what was there before every known restore point. */
export const BEGINNING = 0;
/** The upper limit of what is still there in the newest known restore point. */
export const END = Number.MAX_SAFE_INTEGER;

/**
 * `low` and `high` are times of restore points, and exclusive: every known restore point between them has the row, and neither of these
 * two has it. So a new restore point changes only rows in which it differs from its neighbours.
 */
export const SCHEMA = `
-- A set of a device at a destination.
CREATE TABLE source (
  id            INTEGER PRIMARY KEY,
  destination   TEXT NOT NULL,
  device        TEXT NOT NULL,
  backup_set    TEXT NOT NULL,
  listed_at     INTEGER NOT NULL DEFAULT 0, -- when the destination listed its restore points, in ms since the epoch
  UNIQUE (destination, device, backup_set)
) STRICT;

CREATE TABLE point (
  source        INTEGER NOT NULL,
  time          INTEGER NOT NULL,           -- ms since the epoch; it identifies the restore point
  made          INTEGER NOT NULL,           -- when it was made: earlier than its time after a clock that was ahead
  backup_id     TEXT NOT NULL,
  state         TEXT NOT NULL,              -- waiting, known or damaged
  roots         TEXT NOT NULL DEFAULT '[]', -- entry paths, as JSON
  problem       TEXT,                       -- why it is damaged: the code of an error
  tried_at      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (source, time)
) STRICT, WITHOUT ROWID;

CREATE TABLE folder (
  id            INTEGER PRIMARY KEY,
  key           TEXT NOT NULL UNIQUE,       -- pathSortKey of its path
  path          TEXT                        -- folded (fold.ts), if that differs
) STRICT;

CREATE TABLE entry (
  id            INTEGER PRIMARY KEY,
  folder        INTEGER NOT NULL,
  name          TEXT NOT NULL,
  folded        TEXT,                       -- fold.ts, if that differs
  UNIQUE (folder, name)
) STRICT;

-- Every three characters of the folded names.
CREATE VIRTUAL TABLE name_index USING fts5 (folded, content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1');

CREATE TABLE version (
  entry         INTEGER NOT NULL,
  source        INTEGER NOT NULL,
  low           INTEGER NOT NULL,
  high          INTEGER NOT NULL,
  kind          INTEGER NOT NULL,           -- version-row.ts
  size          INTEGER NOT NULL,
  modified      INTEGER NOT NULL,           -- ms since the epoch, rounded down
  content       BLOB NOT NULL,              -- beginning of a SHA-256 of the chunk list or the target; empty for a folder
  PRIMARY KEY (entry, source, low)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_by_low ON version (source, low) WHERE low > ${BEGINNING};
CREATE INDEX version_by_high ON version (source, high) WHERE high < ${END};

-- Pieces of trees, so that only new ones are read.
CREATE TABLE piece (
  source        INTEGER NOT NULL,
  digest        BLOB NOT NULL,              -- of its chunk list
  low           INTEGER NOT NULL,
  high          INTEGER NOT NULL,
  last          TEXT NOT NULL,              -- path of its last record
  PRIMARY KEY (source, digest, low)
) STRICT, WITHOUT ROWID;
CREATE INDEX piece_by_low ON piece (source, low);
CREATE INDEX piece_by_high ON piece (source, high);

-- Chunks of the tree that is being read, until all of them are here.
CREATE TABLE staged (digest BLOB PRIMARY KEY, plaintext BLOB NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE row_sum (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE upkeep (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;
