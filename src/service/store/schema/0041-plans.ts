import type { Migration } from './migration.ts';

/** What an account has paid for, and what a payment provider has said about it. */
export const plans: Migration = {
  number: 41,
  name: 'plans',
  sql: ({ integer }) => `
CREATE TABLE account_plan (
  account_id TEXT PRIMARY KEY REFERENCES account (id),
  name TEXT NOT NULL,
  -- NULL: none.
  limit_bytes ${integer},
  changed_at ${integer} NOT NULL,
  -- NULL once it was paid.
  payment_failed_at ${integer},
  -- When somebody was told that the use goes towards the limit; NULL again once it is below.
  limit_told_at ${integer},
  -- When the newest notice of the provider was written, of the plan and of payments; an older one that comes later is void.
  plan_notice_at ${integer} NOT NULL DEFAULT 0,
  payment_notice_at ${integer} NOT NULL DEFAULT 0
);

CREATE TABLE billing_notice (
  id TEXT PRIMARY KEY,
  written_at ${integer} NOT NULL
);
CREATE INDEX billing_notice_age ON billing_notice (written_at);
`,
};
