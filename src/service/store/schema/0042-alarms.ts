import type { Migration } from './migration.ts';

/** What runs change, to be judged when they complete, and what was found suspicious. */
export const alarms: Migration = {
  number: 42,
  name: 'alarms',
  sql: ({ integer }) => `
CREATE TABLE run_changes (
  session_id TEXT PRIMARY KEY,
  noted_at ${integer} NOT NULL,
  files_before ${integer} NOT NULL,
  versions ${integer} NOT NULL,
  ended ${integer} NOT NULL,
  bytes ${integer} NOT NULL,
  new_bytes ${integer} NOT NULL
);
CREATE INDEX run_changes_age ON run_changes (noted_at);

CREATE TABLE alarm (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  -- A run is told once, however often its end is asked for.
  session_id TEXT NOT NULL UNIQUE,
  device_id TEXT NOT NULL,
  set_number ${integer} NOT NULL,
  set_name TEXT NOT NULL,
  reasons_json TEXT NOT NULL,
  raised_at ${integer} NOT NULL
);
CREATE INDEX alarm_of_account ON alarm (account_id, raised_at);
`,
};
