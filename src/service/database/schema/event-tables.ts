import type { ColumnTypes } from './column-types.ts';

/** Webhooks, plans and alarms. */
export function eventTables({ integer }: ColumnTypes): string {
  return `
CREATE TABLE webhook_endpoint (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  url TEXT NOT NULL,
  -- JSON array of event types; an empty one means all of them.
  events_json TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  disabled_at ${integer},
  -- Why the service itself disabled it: gone (the receiver answered 410), failing (for too long).
  disabled_because TEXT,
  -- The first failed attempt since the last delivery that succeeded.
  failing_since ${integer},
  -- Valid beside the new secret until previous_secret_until.
  previous_secret TEXT,
  previous_secret_until ${integer}
);
CREATE INDEX webhook_endpoint_of_account ON webhook_endpoint (account_id);

CREATE TABLE webhook_delivery (
  id TEXT PRIMARY KEY,
  endpoint_id TEXT NOT NULL REFERENCES webhook_endpoint (id),
  event TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  attempts ${integer} NOT NULL DEFAULT 0,
  -- NULL when nothing is left to try: delivered, or given up.
  next_attempt_at ${integer},
  delivered_at ${integer},
  last_status ${integer},
  last_error TEXT,
  -- The day of attempts begins here instead of at created_at.
  sent_again_at ${integer}
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_delivery_due_of_endpoint ON webhook_delivery (endpoint_id, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_delivery_of_endpoint ON webhook_delivery (endpoint_id, created_at);
CREATE INDEX webhook_delivery_finished ON webhook_delivery (created_at) WHERE next_attempt_at IS NULL;

CREATE TABLE webhook_attempt (
  delivery_id TEXT NOT NULL REFERENCES webhook_delivery (id),
  -- Counts all attempts of the delivery from 1.
  number ${integer} NOT NULL,
  started_at ${integer} NOT NULL,
  duration ${integer} NOT NULL,
  url TEXT NOT NULL,
  headers_json TEXT NOT NULL,
  -- Status and beginning of the response; without a response error has the reason.
  status ${integer},
  answer TEXT,
  error TEXT,
  PRIMARY KEY (delivery_id, number)
);

CREATE TABLE account_plan (
  account_id TEXT PRIMARY KEY REFERENCES account (id),
  name TEXT NOT NULL,
  -- NULL for no limit.
  limit_bytes ${integer},
  changed_at ${integer} NOT NULL,
  -- NULL once it was paid.
  payment_failed_at ${integer},
  -- When billing.approaching_limit was emitted; NULL again once the use is below the threshold.
  limit_reported_at ${integer},
  -- When the provider wrote the newest notice about the plan and about payments; an older one that arrives later is ignored.
  plan_notice_at ${integer} NOT NULL DEFAULT 0,
  payment_notice_at ${integer} NOT NULL DEFAULT 0
);

CREATE TABLE billing_notice (
  id TEXT PRIMARY KEY,
  written_at ${integer} NOT NULL
);
CREATE INDEX billing_notice_age ON billing_notice (written_at);

-- What a session changes, until it is checked for signs of ransomware on completion.
CREATE TABLE run_changes (
  session_id TEXT PRIMARY KEY,
  recorded_at ${integer} NOT NULL,
  files_before ${integer} NOT NULL,
  versions ${integer} NOT NULL,
  ended ${integer} NOT NULL,
  bytes ${integer} NOT NULL,
  new_bytes ${integer} NOT NULL
);
CREATE INDEX run_changes_age ON run_changes (recorded_at);

CREATE TABLE alarm (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  -- At most one alarm for a run, however often it is completed.
  session_id TEXT NOT NULL UNIQUE,
  device_id TEXT NOT NULL,
  set_number ${integer} NOT NULL,
  set_name TEXT NOT NULL,
  reasons_json TEXT NOT NULL,
  raised_at ${integer} NOT NULL
);
CREATE INDEX alarm_of_account ON alarm (account_id, raised_at);
`;
}
