import type { Migration } from './migration.ts';

/** What a try of a delivery was and what was answered, and secrets that are being replaced. */
export const webhookLog: Migration = {
  number: 40,
  name: 'webhook log',
  sql: ({ integer }) => `
-- Good until previous_secret_until, beside the new one.
ALTER TABLE webhook_endpoint ADD COLUMN previous_secret TEXT;
ALTER TABLE webhook_endpoint ADD COLUMN previous_secret_until ${integer};
-- Where it was sent again: the tries of a day begin here, and not at created_at.
ALTER TABLE webhook_delivery ADD COLUMN sent_again_at ${integer};
CREATE INDEX webhook_delivery_of_endpoint ON webhook_delivery (endpoint_id, created_at);
CREATE INDEX webhook_delivery_finished ON webhook_delivery (created_at) WHERE next_attempt_at IS NULL;

CREATE TABLE webhook_attempt (
  delivery_id TEXT NOT NULL REFERENCES webhook_delivery (id),
  -- Counts from 1 over all tries of the delivery.
  number ${integer} NOT NULL,
  started_at ${integer} NOT NULL,
  duration ${integer} NOT NULL,
  url TEXT NOT NULL,
  headers_json TEXT NOT NULL,
  -- Where it was answered, with the beginning of the answer; else error says why not.
  status ${integer},
  answer TEXT,
  error TEXT,
  PRIMARY KEY (delivery_id, number)
);
`,
};
