import type Database from 'better-sqlite3';

export type ProjectionDatabase = Database.Database;

export const SCHEMA_VERSION = 2;

/** The tables of a projection. Hashes and ids are blobs, device ids text, times milliseconds since the epoch. */
export const SCHEMA = `
CREATE TABLE repository (id TEXT NOT NULL);

-- Writers of ledgers, each with the device that it backs up as since claimed_at. number and hash are of the newest segment that was
-- applied, base is the number of the newest checkpoint: earlier segments are not read. described_at and described_by are the
-- number and the hash of the segment that the device, the name and so on are from. key is the public key to which a new master key is sealed.
CREATE TABLE writer (
  id TEXT PRIMARY KEY,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL,
  time INTEGER NOT NULL,
  device TEXT NOT NULL DEFAULT '',
  claimed_at INTEGER NOT NULL DEFAULT 0,
  name TEXT NOT NULL DEFAULT '',
  os TEXT NOT NULL DEFAULT '',
  agent TEXT NOT NULL DEFAULT '',
  key BLOB,
  described_at INTEGER NOT NULL DEFAULT 0,
  described_by TEXT NOT NULL DEFAULT '',
  base INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE segment (
  writer TEXT NOT NULL,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (writer, number, hash)
) WITHOUT ROWID;

-- The newest segment of a writer that the newest segment of another writer states.
CREATE TABLE witness (
  by_writer TEXT NOT NULL,
  writer TEXT NOT NULL,
  number INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (by_writer, writer)
) WITHOUT ROWID;

-- contents is the opened table of the pack, and proven is 1 if this computer has read it in the pack itself. writer is NULL until a
-- segment states that table. contested is 1 while writers state different tables and none is proven, seen is 1 once the file stood in
-- a listing with its length, and lost is that of lost_pack. A number is never used again: runs remember the packs that they count on.
CREATE TABLE pack (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE,
  writer TEXT,
  bytes INTEGER NOT NULL,
  proven INTEGER NOT NULL,
  contested INTEGER NOT NULL DEFAULT 0,
  seen INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  damaged INTEGER NOT NULL DEFAULT 0,
  -- Last: it fills many pages, which SQLite would read to get at the columns behind it.
  contents BLOB NOT NULL
);

-- Packs that this computer has begun to store and does not count on yet. stored is 1 once only the parity is missing.
CREATE TABLE unfinished_pack (hash BLOB PRIMARY KEY, stored INTEGER NOT NULL) WITHOUT ROWID;

-- Packs in the last listing that no segment named. trees has the digests of the footers in it, one after the other: NULL before this
-- computer has read the pack.
CREATE TABLE unnamed_pack (hash BLOB PRIMARY KEY, trees BLOB) WITHOUT ROWID;

-- The different tables that writers state of one pack, each with the lowest of the writers that state it. Empty for a pack of which
-- all state the same.
CREATE TABLE claim (
  hash BLOB NOT NULL,
  contents BLOB NOT NULL,
  by_writer TEXT NOT NULL,
  PRIMARY KEY (hash, contents)
) WITHOUT ROWID;

-- Packs that no backup may count on: by_writer condemned the pack in its segment by_number. This and deleted_pack may be
-- read before the pack.
CREATE TABLE condemnation (
  hash BLOB NOT NULL,
  by_writer TEXT NOT NULL,
  by_number INTEGER NOT NULL,
  time INTEGER NOT NULL,
  PRIMARY KEY (hash, by_writer)
) WITHOUT ROWID;

-- Packs that by_writer decided to delete. gone is 1 when this computer has deleted the file.
CREATE TABLE deleted_pack (
  hash BLOB NOT NULL,
  by_writer TEXT NOT NULL,
  gone INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (hash, by_writer)
) WITHOUT ROWID;

-- Packs whose files were found lost, or found again: the latest time counts.
CREATE TABLE lost_pack (
  hash BLOB PRIMARY KEY, lost INTEGER NOT NULL, time INTEGER NOT NULL, by_writer TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE chunk (
  digest BLOB NOT NULL,
  pack INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  size INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  PRIMARY KEY (digest, pack)
) WITHOUT ROWID;

-- Metadata is a small part of them.
CREATE INDEX metadata_chunk ON chunk (digest, pack) WHERE kind > 0;

-- Blobs that were found damaged; a newer copy in another pack replaces them.
CREATE TABLE damaged_blob (
  digest BLOB NOT NULL,
  pack INTEGER NOT NULL,
  PRIMARY KEY (digest, pack)
) WITHOUT ROWID;

-- Writers that state different things under one id state different points: neither hides the other.
CREATE TABLE point (
  id BLOB NOT NULL,
  device TEXT NOT NULL,
  set_name TEXT NOT NULL,
  time INTEGER NOT NULL,
  -- By the writer's clock, if it is earlier than time.
  completed INTEGER,
  -- The order in which points became known here.
  number INTEGER NOT NULL,
  tree BLOB NOT NULL,
  envelope BLOB,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  by_writer TEXT NOT NULL,
  PRIMARY KEY (id, device, set_name, time, tree)
) WITHOUT ROWID;
CREATE INDEX point_of_set ON point (device, set_name, time);

-- Names of devices that a repair has found in trees, for those of which no segment is left that describes them.
CREATE TABLE device_name (
  device TEXT PRIMARY KEY, name TEXT NOT NULL, time INTEGER NOT NULL, by_writer TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE retired (device TEXT NOT NULL, by_writer TEXT NOT NULL, PRIMARY KEY (device, by_writer)) WITHOUT ROWID;

-- Apart from points: a removal may be read before the point.
CREATE TABLE removed (id BLOB NOT NULL, by_writer TEXT NOT NULL, PRIMARY KEY (id, by_writer)) WITHOUT ROWID;
-- Digests of the footers of removed points, so that a repair does not bring them back.
CREATE TABLE removed_tree (tree BLOB NOT NULL, by_writer TEXT NOT NULL, PRIMARY KEY (tree, by_writer)) WITHOUT ROWID;

-- Points whose trees a repair could not read. They are listed again once a pack with the footer is known.
CREATE TABLE withdrawn (id BLOB NOT NULL, by_writer TEXT NOT NULL, PRIMARY KEY (id, by_writer)) WITHOUT ROWID;

-- Points that were not removed.
CREATE VIEW kept_point AS SELECT * FROM point
  WHERE NOT EXISTS (SELECT 1 FROM removed r WHERE r.id = point.id OR r.id = substr(point.tree, 1, 16))
    AND NOT (point.id = substr(point.tree, 1, 16)
      AND EXISTS (SELECT 1 FROM removed_tree r WHERE r.tree = point.tree));

-- A repair states a point again under an id that its tree has (the first 16 bytes of the footer's digest), so that the point
-- is one with the original wherever that is known.
CREATE VIEW live_point AS SELECT * FROM kept_point AS point
  WHERE NOT (point.id = substr(point.tree, 1, 16) AND EXISTS (SELECT 1 FROM point p
      WHERE p.tree = point.tree AND p.id <> point.id AND NOT EXISTS (SELECT 1 FROM removed r WHERE r.id = p.id)))
    AND NOT (EXISTS (SELECT 1 FROM withdrawn w WHERE w.id = point.id)
      AND NOT EXISTS (SELECT 1 FROM chunk JOIN pack ON pack.number = chunk.pack
        WHERE chunk.digest = point.tree AND pack.lost = 0));
CREATE INDEX point_of_tree ON point (tree);

CREATE TABLE pin (
  id BLOB PRIMARY KEY, pinned INTEGER NOT NULL, time INTEGER NOT NULL, by_writer TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE policy (
  device TEXT NOT NULL,
  set_name TEXT NOT NULL,
  policy TEXT,
  time INTEGER NOT NULL,
  by_writer TEXT NOT NULL,
  PRIMARY KEY (device, set_name)
) WITHOUT ROWID;

-- device and set_name are '' for the whole repository.
CREATE TABLE minimum (
  device TEXT NOT NULL,
  set_name TEXT NOT NULL,
  by_writer TEXT NOT NULL,
  days INTEGER NOT NULL,
  PRIMARY KEY (device, set_name, by_writer)
) WITHOUT ROWID;

CREATE TABLE alarm (
  id BLOB PRIMARY KEY,
  device TEXT NOT NULL,
  set_name TEXT NOT NULL,
  time INTEGER NOT NULL,
  by_writer TEXT NOT NULL,
  reasons TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE alarm_release (
  id BLOB NOT NULL,
  by_writer TEXT NOT NULL,
  time INTEGER NOT NULL,
  PRIMARY KEY (id, by_writer)
) WITHOUT ROWID;

-- Files of the repository that are damaged, missing or older than what was seen before. bytes and created are those of the listing in
-- which the file stood that was read.
CREATE TABLE damage (
  file TEXT PRIMARY KEY,
  problem TEXT NOT NULL,
  found_at INTEGER NOT NULL,
  bytes INTEGER,
  created INTEGER
) WITHOUT ROWID;

-- Files whose loss a person has accepted, or a repair has made up for.
CREATE TABLE accepted_damage (
  file TEXT NOT NULL, by_writer TEXT NOT NULL, PRIMARY KEY (file, by_writer)
) WITHOUT ROWID;

-- The chunks that the records of one piece of a tree refer to: concatenated digests. Saves reading the piece again.
CREATE TABLE tree_piece (digest BLOB PRIMARY KEY, chunks BLOB NOT NULL) WITHOUT ROWID;

-- The chunks of the pieces of a tree, by the digest of its footer: concatenated digests. Saves reading the footer again.
CREATE TABLE tree_footer (digest BLOB PRIMARY KEY, chunks BLOB NOT NULL) WITHOUT ROWID;

-- The sum of the hashes of a table's rows, modulo 2^48.
CREATE TABLE row_sum (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

-- When the locks of files in the store end, as far as this computer knows.
CREATE TABLE locked_file (name TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;

-- When this computer first saw times that were in the future then.
CREATE TABLE future_time (name TEXT PRIMARY KEY, seen INTEGER NOT NULL) WITHOUT ROWID;

-- Times of what this computer does now and then.
CREATE TABLE maintenance (name TEXT PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;
`;
