import type { Migration } from './migration.ts';

/** What is kept of people and devices beside what every request needs. */
export const people: Migration = {
  number: 20,
  name: 'people',
  sql: ({ integer }) => `
-- Enrolled, and not proved to be held by anybody yet.
CREATE TABLE pending_factor (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL UNIQUE REFERENCES "user" (id),
  friendly_name TEXT NOT NULL,
  secret TEXT NOT NULL,
  expires_at ${integer} NOT NULL
);

-- hash is hex.
CREATE TABLE recovery_code (
  user_id TEXT NOT NULL REFERENCES "user" (id),
  hash TEXT NOT NULL,
  PRIMARY KEY (user_id, hash)
);

-- token_hash is hex.
CREATE TABLE invitation (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL
);
CREATE INDEX invitation_of_account ON invitation (account_id);

-- People as identity providers know them.
CREATE TABLE identity (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_of_user ON identity (user_id);

-- Who holds a sign-in, as far as that is known.
CREATE TABLE sign_in (
  family_id TEXT PRIMARY KEY REFERENCES token_family (id),
  user_agent TEXT NOT NULL,
  address TEXT NOT NULL,
  last_used_at ${integer} NOT NULL
);
CREATE INDEX token_family_of_user ON token_family (user_id);

-- When a device was last heard of, and since when it has been told as offline.
CREATE TABLE device_activity (
  device_id TEXT PRIMARY KEY REFERENCES device (id),
  registered_by TEXT,
  last_seen ${integer} NOT NULL,
  offline_since ${integer}
);
CREATE INDEX device_activity_seen ON device_activity (last_seen) WHERE offline_since IS NULL;
CREATE INDEX session_failed ON session (device_id, ended_at) WHERE state = 'failed';

-- People and devices are named by text that may outlive them.
CREATE TABLE audit_entry (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  occurred_at ${integer} NOT NULL,
  kind TEXT NOT NULL,
  user_id TEXT,
  device_id TEXT,
  address TEXT,
  details_json TEXT NOT NULL
);
CREATE INDEX audit_entry_of_account ON audit_entry (account_id, occurred_at, id);
CREATE INDEX audit_entry_age ON audit_entry (occurred_at);
`,
};
