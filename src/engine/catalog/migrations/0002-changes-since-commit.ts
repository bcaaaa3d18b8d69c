/**
 * What differs from the newest restore point, and what its tree is made of: the next run's work is then proportional to
 * what changed. Sets of older catalogs have no committed tree, and so make everything anew once.
 */
export const migration0002 = `
-- Paths whose entry was written or removed since the last commit. Sets that were never committed have none.
CREATE TABLE dirty (
  backup_set    INTEGER NOT NULL REFERENCES backup_set (id) ON DELETE CASCADE,
  key           TEXT NOT NULL,    -- pathSortKey of the clear entry path
  removed       INTEGER NOT NULL, -- 1: it was gone once, with everything below it
  PRIMARY KEY (backup_set, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE committed_tree (
  backup_set    INTEGER PRIMARY KEY REFERENCES backup_set (id) ON DELETE CASCADE,
  device        TEXT NOT NULL,
  backup_id     TEXT NOT NULL,    -- the run that stored the tree, as the service names it
  tree_hash     TEXT NOT NULL,
  private_names INTEGER NOT NULL,
  full_at       INTEGER NOT NULL, -- when everything was made and sent anew the last time, ms since the epoch
  runs_since    INTEGER NOT NULL  -- runs since then
) STRICT;

-- The pieces of its records in order; the footer is none.
CREATE TABLE tree_piece (
  backup_set    INTEGER NOT NULL REFERENCES backup_set (id) ON DELETE CASCADE,
  number        INTEGER NOT NULL,
  first_path    TEXT NOT NULL,    -- of its first record
  digest        BLOB NOT NULL,    -- of the chunk
  size          INTEGER NOT NULL, -- of the chunk
  records_hash  BLOB NOT NULL,
  entries_hash  BLOB NOT NULL,
  records       INTEGER NOT NULL,
  files         INTEGER NOT NULL,
  bytes         INTEGER NOT NULL,
  PRIMARY KEY (backup_set, number)
) STRICT, WITHOUT ROWID;

-- From a directory to its own entry, and so to its path.
CREATE INDEX entry_by_child ON entry (child) WHERE child IS NOT NULL;
`;
