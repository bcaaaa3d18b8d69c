import type { ColumnTypes } from './column-types.ts';

/** Retention rules, and chunks on their way to deletion. */
export function retentionTables({ key, integer, bytes }: ColumnTypes): string {
  return `
CREATE TABLE retention_set (
  set_number ${integer} PRIMARY KEY REFERENCES backup_set (number),
  -- NULL keeps every restore point.
  policy_json TEXT,
  -- The newest restore point when the policy was set; NULL if there was none.
  policy_since ${integer},
  -- Never decreases.
  minimum_days ${integer} NOT NULL DEFAULT 0,
  applied_at ${integer} NOT NULL DEFAULT 0
);

CREATE TABLE retention_account (
  account_id TEXT PRIMARY KEY REFERENCES account (id),
  minimum_days ${integer} NOT NULL DEFAULT 0,
  -- Nothing is removed since this time.
  held_at ${integer},
  -- When unreferenced chunks were last searched for.
  collected_at ${integer} NOT NULL DEFAULT 0
);

CREATE TABLE pinned_point (
  session ${integer} PRIMARY KEY REFERENCES session (number),
  pinned_at ${integer} NOT NULL
);

-- One search through an account's chunks for unreferenced ones.
CREATE TABLE collection (
  mark ${key},
  account_id TEXT NOT NULL REFERENCES account (id),
  condemned_at ${integer} NOT NULL,
  -- The newest session when the last chunk had been condemned; NULL until then.
  barrier ${integer}
);

-- Chunks that will be deleted unless a client is told about them first.
CREATE TABLE condemned_chunk (
  chunk_id ${integer} PRIMARY KEY,
  mark ${integer} NOT NULL
);
CREATE INDEX condemned_chunk_of_mark ON condemned_chunk (mark, chunk_id);

-- Chunks whose rows are gone and whose blobs have yet to be deleted.
CREATE TABLE dropped_blob (
  chunk_id ${integer} PRIMARY KEY,
  account_id TEXT NOT NULL,
  digest ${bytes} NOT NULL,
  size ${integer} NOT NULL
);

-- One row, which counts the transactions that dropped chunks.
CREATE TABLE collection_state (
  id ${integer} PRIMARY KEY,
  drops ${integer} NOT NULL
);
INSERT INTO collection_state (id, drops) VALUES (1, 0);
`;
}
