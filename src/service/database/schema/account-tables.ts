import type { ColumnTypes } from './column-types.ts';

/**
 * People, their credentials, and devices. Times are milliseconds since the epoch. Identifiers that leave the service are text
 * (`id`); rows that many others refer to also have a `number`, which keeps the large tables small.
 */
export function accountTables({ dialect, key, integer, bytes, byKey }: ColumnTypes): string {
  return `
CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value ${bytes} NOT NULL
)${byKey};

CREATE TABLE account (
  number ${key},
  id TEXT NOT NULL UNIQUE,
  created_at ${integer} NOT NULL,
  -- Bytes of the stored sealed blobs.
  storage_used ${integer} NOT NULL DEFAULT 0,
  -- When everything about it was erased. The row stays: chunks are collected by account, and the oldest account is the operator's.
  erased_at ${integer}
);

CREATE TABLE "user" (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  email TEXT NOT NULL${dialect === 'sqlite' ? ' UNIQUE COLLATE NOCASE' : ''},
  password_hash TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  -- The last use of a sign-in.
  active_at ${integer}
);
${dialect === 'postgres' ? 'CREATE UNIQUE INDEX user_email ON "user" (lower(email COLLATE "C"));' : ''}

-- Bytes that the devices of a person may back up. It outlives the "user": the devices of somebody who left go on.
CREATE TABLE person_quota (
  user_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  bytes ${integer} NOT NULL
)${byKey};

CREATE TABLE factor (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  type TEXT NOT NULL,
  friendly_name TEXT NOT NULL,
  secret TEXT NOT NULL,
  -- The newest accepted TOTP time step: each code is valid once.
  last_step ${integer} NOT NULL DEFAULT 0,
  created_at ${integer} NOT NULL
);
CREATE INDEX factor_of_user ON factor (user_id);

-- Enrolled, but not confirmed by a code yet.
CREATE TABLE pending_factor (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL UNIQUE REFERENCES "user" (id),
  friendly_name TEXT NOT NULL,
  secret TEXT NOT NULL,
  expires_at ${integer} NOT NULL
);

-- A person's passkey. id is the credential's, base64url; public_key is a COSE key.
CREATE TABLE passkey (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  friendly_name TEXT NOT NULL,
  public_key ${bytes} NOT NULL,
  -- The authenticator's count of its signatures; it never goes back. 0 for one that does not count.
  counter ${integer} NOT NULL,
  transports_json TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  last_used_at ${integer}
);
CREATE INDEX passkey_of_user ON passkey (user_id);

-- What a passkey is to sign next, once. subject is a sign-in or the token of one, and what the signature is for.
CREATE TABLE passkey_challenge (
  subject TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  challenge TEXT NOT NULL,
  -- The name of a passkey that is being added.
  friendly_name TEXT,
  expires_at ${integer} NOT NULL
)${byKey};

-- hash is hex.
CREATE TABLE recovery_code (
  user_id TEXT NOT NULL REFERENCES "user" (id),
  hash TEXT NOT NULL,
  PRIMARY KEY (user_id, hash)
);

-- token_hash is hex.
CREATE TABLE password_reset (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL UNIQUE REFERENCES "user" (id),
  expires_at ${integer} NOT NULL
)${byKey};

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

-- Identities of users at identity providers.
CREATE TABLE identity (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_of_user ON identity (user_id);

-- One sign-in and every token that was renewed from it.
CREATE TABLE token_family (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES "user" (id),
  created_at ${integer} NOT NULL,
  -- The last code of a second factor.
  factor_at ${integer} NOT NULL,
  revoked_at ${integer}
);
CREATE INDEX token_family_of_user ON token_family (user_id);

CREATE TABLE refresh_token (
  hash ${bytes} PRIMARY KEY,
  family_id TEXT NOT NULL REFERENCES token_family (id),
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  -- When its successor was issued.
  spent_at ${integer},
  -- Whether it was used once more within the grace period.
  respent ${integer} NOT NULL DEFAULT 0
)${byKey};
CREATE INDEX refresh_token_expiry ON refresh_token (expires_at);
CREATE INDEX refresh_token_of_family ON refresh_token (family_id);

-- The client that used a sign-in last.
CREATE TABLE sign_in (
  family_id TEXT PRIMARY KEY REFERENCES token_family (id),
  user_agent TEXT NOT NULL,
  address TEXT NOT NULL,
  last_used_at ${integer} NOT NULL
);

-- Values that are valid once: device signatures and multi-factor tokens.
CREATE TABLE spent (
  what TEXT PRIMARY KEY,
  expires_at ${integer} NOT NULL
)${byKey};
CREATE INDEX spent_expiry ON spent (expires_at);

-- Failed attempts at a password, a code or a device key.
CREATE TABLE attempt (
  subject TEXT PRIMARY KEY,
  failures ${integer} NOT NULL,
  blocked_until ${integer} NOT NULL,
  updated_at ${integer} NOT NULL
)${byKey};

-- Users and devices are named by plain text, since entries outlive them.
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

CREATE TABLE device (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  os TEXT NOT NULL,
  agent_version TEXT NOT NULL,
  key_hash ${bytes} NOT NULL,
  permissions_json TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  last_backup ${integer},
  revoked_at ${integer}
);
CREATE INDEX device_of_account ON device (account_id);

-- When a device was last seen, and since when it has been reported as offline.
CREATE TABLE device_activity (
  device_id TEXT PRIMARY KEY REFERENCES device (id),
  registered_by TEXT,
  last_seen ${integer} NOT NULL,
  offline_since ${integer}
);
-- The key that the first computer of an account backs up with, from its set-up on. After a restore point is stored, its key envelope decides.
CREATE TABLE account_key (
  account_id TEXT PRIMARY KEY REFERENCES account (id),
  key_id TEXT NOT NULL,
  -- The device that claimed it.
  device_id TEXT NOT NULL,
  claimed_at ${integer} NOT NULL
);

-- What is to be erased, and what was. It contains identifiers only, since it outlives what they named.
CREATE TABLE erasure (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  -- set, device, member or account.
  scope TEXT NOT NULL,
  -- The number of the set, or the id of the device, member or account.
  target TEXT NOT NULL,
  -- A user; NULL for the operator.
  requested_by TEXT,
  requested_at ${integer} NOT NULL,
  -- Nothing is erased before.
  due_at ${integer} NOT NULL,
  erased_at ${integer}
);
CREATE UNIQUE INDEX erasure_once ON erasure (account_id, scope, target) WHERE erased_at IS NULL;

CREATE INDEX device_activity_seen ON device_activity (last_seen) WHERE offline_since IS NULL;
`;
}
