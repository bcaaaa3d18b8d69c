import type Database from 'better-sqlite3';

/** The plan, and what the comparison with the target has found. Made anew by every run, so it is in a scratch file that nothing waits for. */
export const PLAN_SCHEMA = `
  CREATE TABLE entry (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, type TEXT NOT NULL, mode INTEGER NOT NULL, seconds INTEGER,
    nanoseconds INTEGER NOT NULL, uid INTEGER, gid INTEGER, size INTEGER NOT NULL, sparse INTEGER NOT NULL,
    hardLinkGroup TEXT, target TEXT, xattrs TEXT);
  CREATE TABLE content (
    id INTEGER PRIMARY KEY, modified INTEGER NOT NULL, session INTEGER NOT NULL, chunks BLOB NOT NULL, sizes BLOB);
  CREATE TABLE staged (
    key TEXT PRIMARY KEY, path TEXT NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
    session INTEGER NOT NULL, chunks BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE decision (id INTEGER PRIMARY KEY, action TEXT, name TEXT);
  CREATE TABLE link_group (name TEXT PRIMARY KEY, leader INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE hard_link (id INTEGER PRIMARY KEY, leader INTEGER NOT NULL);
  CREATE TABLE location (id INTEGER PRIMARY KEY, location TEXT NOT NULL);

  CREATE TABLE claimed (file TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE spelling (key TEXT PRIMARY KEY, type TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE companion (id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (id, name)) WITHOUT ROWID;
  CREATE TABLE local_chunk (
    digest BLOB PRIMARY KEY, location TEXT NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE shared (id INTEGER PRIMARY KEY, location TEXT NOT NULL, file TEXT NOT NULL);
  CREATE TABLE used (path TEXT NOT NULL, location TEXT NOT NULL);
  CREATE TABLE beside (location TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE surplus (
    location TEXT PRIMARY KEY, files INTEGER NOT NULL, bytes INTEGER NOT NULL, moved INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
`;

/**
 * What outlives a run, in a file of its own that a run attaches: what the restore is, what existed before it (so that another run continues
 * it), and what it changes in the original places (so that it can be undone). The text is compared with that of a file: see `hasOwnSchema`.
 */
export const RECORD_SCHEMA = [
  'CREATE TABLE restore (form TEXT NOT NULL, mac TEXT NOT NULL)',
  'CREATE TABLE existing (path TEXT PRIMARY KEY, same INTEGER NOT NULL) WITHOUT ROWID',
  `CREATE TABLE change (
    id INTEGER PRIMARY KEY, location TEXT NOT NULL UNIQUE, made INTEGER NOT NULL, existed INTEGER NOT NULL, type TEXT,
    size INTEGER, mode INTEGER, seconds INTEGER, nanoseconds INTEGER, target TEXT, asides TEXT NOT NULL, attributes TEXT,
    state INTEGER NOT NULL, mac TEXT NOT NULL)`,
];

/** Returns whether a record has its own schema and nothing that somebody else added: a view could show one row in the place of another. */
export function hasOwnSchema(database: Database.Database): boolean {
  const found = database.prepare<[], string>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid');
  return JSON.stringify(found.pluck().all()) === JSON.stringify(RECORD_SCHEMA);
}
