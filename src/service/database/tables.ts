import type { Generated } from 'kysely';

/**
 * Describes every table to Kysely, for SQLite and PostgreSQL alike; `schema/` creates them and documents their columns.
 *
 * Times are milliseconds since the epoch. Whole numbers are numbers in the program, whatever the database stores. Booleans
 * are 1 and 0, bytes are a `Buffer`, and an empty column is `null`, never `undefined`. `file_version` is missing: its columns
 * differ between the databases, so it is queried by hand-written SQL only.
 */
export interface Tables {
  secret: { name: string; value: Buffer };
  account: AccountTable;
  user: UserTable;
  factor: FactorTable;
  pending_factor: { id: string; user_id: string; friendly_name: string; secret: string; expires_at: number };
  passkey: PasskeyTable;
  person_quota: { user_id: string; account_id: string; bytes: number };
  passkey_challenge: {
    subject: string;
    user_id: string;
    challenge: string;
    friendly_name: string | null;
    expires_at: number;
  };
  recovery_code: { user_id: string; hash: string };
  password_reset: { token_hash: string; user_id: string; expires_at: number };
  invitation: InvitationTable;
  identity: { issuer: string; subject: string; user_id: string };
  token_family: { id: string; user_id: string; created_at: number; factor_at: number; revoked_at: number | null };
  refresh_token: RefreshTokenTable;
  sign_in: { family_id: string; user_agent: string; address: string; last_used_at: number };
  spent: { what: string; expires_at: number };
  attempt: { subject: string; failures: number; blocked_until: number; updated_at: number };
  audit_entry: AuditEntryTable;
  device: DeviceTable;
  account_key: { account_id: string; key_id: string; device_id: string; claimed_at: number };
  erasure: ErasureTable;
  device_activity: { device_id: string; registered_by: string | null; last_seen: number; offline_since: number | null };
  backup_set: { number: Generated<number>; account_id: string; device_id: string; name: string };
  session: SessionTable;
  session_chunk: { ordinal: Generated<number>; session: number; chunk_id: number; size: number };
  session_end: { session: number; path_key: string; valid_from: number };
  chunk: {
    id: Generated<number>;
    account_number: number;
    digest: Buffer;
    size: number | null;
    blob_size: number | null;
  };
  lost_chunk: { chunk_id: number; account_number: number; size: number; blob_size: number };
  restore_session: RestoreSessionTable;
  retention_set: RetentionSetTable;
  retention_account: RetentionAccountTable;
  pinned_point: { session: number; pinned_at: number };
  collection: { mark: Generated<number>; account_id: string; condemned_at: number; barrier: number | null };
  condemned_chunk: { chunk_id: number; mark: number };
  dropped_blob: { chunk_id: number; account_id: string; digest: Buffer; size: number };
  collection_state: { id: number; drops: number };
  webhook_endpoint: WebhookEndpointTable;
  webhook_delivery: WebhookDeliveryTable;
  webhook_attempt: WebhookAttemptTable;
  account_plan: AccountPlanTable;
  billing_notice: { id: string; written_at: number };
  run_changes: RunChangesTable;
  alarm: AlarmTable;
}

export interface AccountTable {
  number: Generated<number>;
  id: string;
  created_at: number;
  storage_used: Generated<number>;
  erased_at: number | null;
}

export interface ErasureTable {
  id: string;
  account_id: string;
  scope: string;
  target: string;
  requested_by: string | null;
  requested_at: number;
  due_at: number;
  erased_at: number | null;
}

export interface UserTable {
  id: string;
  account_id: string;
  email: string;
  password_hash: string;
  role: string;
  created_at: number;
  active_at: Generated<number | null>;
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

export interface PasskeyTable {
  id: string;
  user_id: string;
  friendly_name: string;
  public_key: Buffer;
  counter: number;
  transports_json: string;
  created_at: number;
  last_used_at: number | null;
}

export interface InvitationTable {
  id: string;
  account_id: string;
  email: string;
  role: string;
  token_hash: string;
  created_at: number;
  expires_at: number;
}

export interface RefreshTokenTable {
  hash: Buffer;
  family_id: string;
  created_at: number;
  expires_at: number;
  spent_at: number | null;
  respent: Generated<number>;
}

export interface AuditEntryTable {
  id: string;
  account_id: string;
  occurred_at: number;
  kind: string;
  user_id: string | null;
  device_id: string | null;
  address: string | null;
  details_json: string;
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
  failure: string | null;
  base: number;
  files: Generated<number>;
  bytes: Generated<number>;
  bytes_needed: Generated<number>;
  tree_bytes: Generated<number>;
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
  removed_at: number | null;
  cleared: Generated<number>;
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
  reported: Generated<number>;
  start_reported_at: number | null;
  end_reported_at: number | null;
}

export interface RetentionSetTable {
  set_number: number;
  policy_json: string | null;
  policy_since: number | null;
  minimum_days: Generated<number>;
  applied_at: Generated<number>;
}

export interface RetentionAccountTable {
  account_id: string;
  minimum_days: Generated<number>;
  held_at: number | null;
  collected_at: Generated<number>;
}

export interface WebhookEndpointTable {
  id: string;
  account_id: string;
  url: string;
  events_json: string;
  secret: string;
  created_at: number;
  disabled_because: string | null;
  failing_since: number | null;
  disabled_at: number | null;
  previous_secret: string | null;
  previous_secret_until: number | null;
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
  sent_again_at: number | null;
}

export interface WebhookAttemptTable {
  delivery_id: string;
  number: number;
  started_at: number;
  duration: number;
  url: string;
  headers_json: string;
  status: number | null;
  answer: string | null;
  error: string | null;
}

export interface AccountPlanTable {
  account_id: string;
  name: string;
  limit_bytes: number | null;
  changed_at: number;
  payment_failed_at: number | null;
  limit_reported_at: number | null;
  plan_notice_at: Generated<number>;
  payment_notice_at: Generated<number>;
}

export interface RunChangesTable {
  session_id: string;
  recorded_at: number;
  files_before: number;
  versions: number;
  ended: number;
  bytes: number;
  new_bytes: number;
}

export interface AlarmTable {
  id: string;
  account_id: string;
  session_id: string;
  device_id: string;
  set_number: number;
  set_name: string;
  reasons_json: string;
  raised_at: number;
}
