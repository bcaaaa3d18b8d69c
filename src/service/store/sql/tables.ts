import type { Generated } from 'kysely';

/**
 * The tables, in SQLite and PostgreSQL alike. A file that brings tables of its own adds them here by module augmentation:
 * `declare module './sql/tables.ts' { interface Tables { pin: PinTable } }`.
 *
 * What holds for all of them: times are milliseconds since the epoch; whole numbers come back as numbers, whatever the
 * database; yes and no are 1 and 0; bytes are a `Buffer`; a column without a value is `null`, never `undefined`.
 */
export interface Tables {
  secret: { name: string; value: Buffer };
  account: AccountTable;
  user: UserTable;
  factor: FactorTable;
  token_family: { id: string; user_id: string; created_at: number; revoked_at: number | null };
  refresh_token: RefreshTokenTable;
  device: DeviceTable;
  spent: { what: string; expires_at: number };
  attempt: { subject: string; failures: number; blocked_until: number; updated_at: number };
  backup_set: { number: Generated<number>; account_id: string; device_id: string; name: string };
  session: SessionTable;
  chunk: { id: Generated<number>; account_number: number; digest: Buffer; size: number | null };
  lost_chunk: { chunk_id: number; account_number: number };
  session_chunk: { ordinal: Generated<number>; session: number; chunk_id: number; size: number };
  session_end: { session: number; path_key: string; valid_from: number };
  restore_session: RestoreSessionTable;
  webhook_endpoint: WebhookEndpointTable;
  webhook_delivery: WebhookDeliveryTable;
}

export interface AccountTable {
  number: Generated<number>;
  id: string;
  created_at: number;
  storage_used: Generated<number>;
}

export interface UserTable {
  id: string;
  account_id: string;
  email: string;
  password_hash: string;
  role: string;
  created_at: number;
}

export interface FactorTable {
  id: string;
  user_id: string;
  type: string;
  friendly_name: string;
  secret: string;
  last_step: Generated<number>;
  created_at: number;
}

export interface RefreshTokenTable {
  hash: Buffer;
  family_id: string;
  created_at: number;
  expires_at: number;
  spent_at: number | null;
  respent: Generated<number>;
}

export interface DeviceTable {
  id: string;
  account_id: string;
  name: string;
  os: string;
  agent_version: string;
  key_hash: Buffer;
  permissions_json: string;
  created_at: number;
  last_backup: number | null;
  revoked_at: number | null;
}

export interface SessionTable {
  number: Generated<number>;
  id: string;
  account_id: string;
  device_id: string;
  set_number: number;
  state: string;
  created_at: number;
  active_at: number;
  ended_at: number | null;
  base: number;
  files: Generated<number>;
  bytes: Generated<number>;
  bytes_needed: Generated<number>;
  chunks_needed: Generated<number>;
  chunks_deduped: Generated<number>;
  progress_json: string | null;
  sequence: number | null;
  backup_id: string | null;
  restore_point: number | null;
  storage_used: number | null;
  stats_json: string | null;
  swept: Generated<number>;
  continued_by: number | null;
}

export interface RestoreSessionTable {
  id: string;
  account_id: string;
  device_id: string;
  set_number: number;
  sequence: number;
  path: string;
  recursive: number;
  created_at: number;
  expires_at: number;
  files: number | null;
  bytes: number | null;
  completed_at: number | null;
}

export interface WebhookEndpointTable {
  id: string;
  account_id: string;
  url: string;
  events_json: string;
  secret: string;
  created_at: number;
  disabled_at: number | null;
}

export interface WebhookDeliveryTable {
  id: string;
  endpoint_id: string;
  event: string;
  body: string;
  created_at: number;
  attempts: Generated<number>;
  next_attempt_at: number | null;
  delivered_at: number | null;
  last_status: number | null;
  last_error: string | null;
}
