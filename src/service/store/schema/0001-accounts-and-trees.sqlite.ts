/**
 * Times are milliseconds since the epoch. Identifiers that leave the service are text (`id`); rows that many others
 * refer to have an integer `number` beside it, so that the large tables stay small.
 */
export const SQLITE_ACCOUNTS_AND_TREES = `
CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE account (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  -- Bytes of the sealed blobs that are stored.
  storage_used INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE user (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  password_hash TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE factor (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES user (id),
  type TEXT NOT NULL,
  friendly_name TEXT NOT NULL,
  secret TEXT NOT NULL,
  -- The newest TOTP time step that was accepted: a code is good once.
  last_step INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);
CREATE INDEX factor_of_user ON factor (user_id);

-- One sign-in and everything that was renewed from it.
CREATE TABLE token_family (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES user (id),
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
);

CREATE TABLE refresh_token (
  hash BLOB PRIMARY KEY,
  family_id TEXT NOT NULL REFERENCES token_family (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When its successor was handed out.
  spent_at INTEGER,
  -- Whether it was used once more within the grace period.
  respent INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX refresh_token_expiry ON refresh_token (expires_at);

CREATE TABLE device (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  os TEXT NOT NULL,
  agent_version TEXT NOT NULL,
  key_hash BLOB NOT NULL,
  permissions_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_backup INTEGER,
  revoked_at INTEGER
);
CREATE INDEX device_of_account ON device (account_id);

-- Things that are good once: device signatures and multi-factor tokens.
CREATE TABLE spent (
  what TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX spent_expiry ON spent (expires_at);

-- Guesses at a password, a code or a device key.
CREATE TABLE attempt (
  subject TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  blocked_until INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE backup_set (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL REFERENCES account (id),
  device_id TEXT NOT NULL REFERENCES device (id),
  name TEXT NOT NULL,
  UNIQUE (device_id, name)
);

-- A backup session, and the run that it became when it was completed.
CREATE TABLE session (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES account (id),
  device_id TEXT NOT NULL REFERENCES device (id),
  set_number INTEGER NOT NULL REFERENCES backup_set (number),
  -- receiving (the manifest), open, completed, failed
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  -- The sequence of the tree that its changes are relative to; 0 for the empty tree.
  base INTEGER NOT NULL,
  files INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  bytes_needed INTEGER NOT NULL DEFAULT 0,
  chunks_needed INTEGER NOT NULL DEFAULT 0,
  chunks_deduped INTEGER NOT NULL DEFAULT 0,
  progress_json TEXT,
  -- Set by complete. sequence orders all runs of the store.
  sequence INTEGER UNIQUE,
  backup_id TEXT UNIQUE,
  restore_point INTEGER,
  storage_used INTEGER,
  stats_json TEXT,
  -- Whether what only an unfinished session needs has been cleared away.
  swept INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX session_point ON session (set_number, restore_point) WHERE sequence IS NOT NULL;
CREATE INDEX session_unswept ON session (swept, state) WHERE swept = 0;

-- size (plaintext bytes) is known once the blob is stored durably; until then nobody may count on it.
CREATE TABLE chunk (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_number INTEGER NOT NULL,
  digest BLOB NOT NULL,
  size INTEGER
);
CREATE UNIQUE INDEX chunk_digest ON chunk (account_number, digest);

-- Chunks that were stored once and whose blobs are gone: the next manifest that names them has to bring them.
CREATE TABLE lost_chunk (
  chunk_id INTEGER PRIMARY KEY,
  account_number INTEGER NOT NULL
);

-- What a session has to upload, in the order in which the manifest first named it.
CREATE TABLE session_chunk (
  ordinal INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  chunk_id INTEGER NOT NULL,
  size INTEGER NOT NULL
);
CREATE UNIQUE INDEX session_chunk_once ON session_chunk (chunk_id, session);

-- One state of one path. It holds from the run of session valid_from up to the run of session valid_to. Rows of a
-- session without a sequence are not visible to anybody else, so completing a session moves no rows.
-- path_key is pathSortKey(path); modified is milliseconds, or text where that would lose something; chunks is packed
-- (store/packed-chunks.ts).
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

-- Versions that end when the session is completed.
CREATE TABLE session_end (
  session INTEGER NOT NULL,
  path_key TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  PRIMARY KEY (session, path_key)
) WITHOUT ROWID;

CREATE TABLE restore_session (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  device_id TEXT NOT NULL,
  set_number INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  path TEXT NOT NULL,
  recursive INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- Known when the manifest has been sent to its end.
  files INTEGER,
  bytes INTEGER,
  completed_at INTEGER
);
CREATE INDEX restore_session_expiry ON restore_session (expires_at);

CREATE TABLE webhook_endpoint (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  url TEXT NOT NULL,
  -- JSON array of event types; an empty one means all of them.
  events_json TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  disabled_at INTEGER
);
CREATE INDEX webhook_endpoint_of_account ON webhook_endpoint (account_id);

CREATE TABLE webhook_delivery (
  id TEXT PRIMARY KEY,
  endpoint_id TEXT NOT NULL REFERENCES webhook_endpoint (id),
  event TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- NULL when there is nothing left to try: delivered, or given up.
  next_attempt_at INTEGER,
  delivered_at INTEGER,
  last_status INTEGER,
  last_error TEXT
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_delivery_due_of_endpoint ON webhook_delivery (endpoint_id, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;
`;
