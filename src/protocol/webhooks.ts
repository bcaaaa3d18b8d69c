import { z } from 'zod';
import { timestamp } from './timestamp.ts';

export const EVENT_TYPES = [
  'backup.started',
  'backup.completed',
  'backup.failed',
  'backup.warning',
  'restore.started',
  'restore.completed',
  'device.registered',
  'device.offline',
  'security.ransomware_detected',
  'security.mfa_disabled',
  'billing.payment_failed',
  'billing.plan_changed',
  'billing.approaching_limit',
] as const;
export const eventType = z.enum(EVENT_TYPES);
export type EventType = z.infer<typeof eventType>;

export const webhookBody = z.object({
  event: eventType,
  timestamp,
  delivery_id: z.string().min(1),
  account_id: z.string().min(1),
  data: z.record(z.string(), z.unknown()),
});
export type WebhookBody = z.infer<typeof webhookBody>;

/**
 * `data` of `backup.completed`, the one event whose shape the interface shows. The other shapes follow it: the same
 * names for the same facts, and never a file's path.
 */
export const backupCompletedData = z.object({
  backup_id: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  backup_set: z.string(),
  status: z.string(),
  start_time: timestamp,
  end_time: timestamp,
  files_processed: z.int().nonnegative(),
  bytes_uploaded: z.int().nonnegative(),
  dedup_savings_percent: z.number(),
});
export type BackupCompletedData = z.infer<typeof backupCompletedData>;

/** A run has its `backup_id` only once it is complete; until then its session names it. */
const backupStartedData = z.object({
  session_id: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  backup_set: z.string(),
  start_time: timestamp,
});

/** `aborted`: the agent gave the run up; `expired`: nobody completed it in time. */
const backupFailedData = backupStartedData.extend({
  status: z.literal('failed'),
  end_time: timestamp,
  reason: z.enum(['aborted', 'expired']),
});

/** The device and the set are those that were backed up, which need not be the device that asks. */
const restoreStartedData = z.object({
  restore_session_id: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  backup_set: z.string(),
  restore_point: timestamp,
  start_time: timestamp,
  total_files: z.int().nonnegative(),
  total_bytes: z.int().nonnegative(),
});

const restoreCompletedData = restoreStartedData.extend({
  status: z.literal('completed'),
  end_time: timestamp,
});

const deviceRegisteredData = z.object({
  device_id: z.string(),
  device_name: z.string(),
  os: z.string(),
  agent_version: z.string(),
  registered_at: timestamp,
});

/**
 * Comes together with the `backup.completed` of the same run: there is a restore point, and some files are not in it as
 * they are on the disk. `warnings` counts these; which they are only the agent can say.
 */
const backupWarningData = backupCompletedData.extend({
  status: z.literal('completed_with_warnings'),
  warnings: z.int().positive(),
});

/** Told once for each time that a device stays away. */
const deviceOfflineData = z.object({
  device_id: z.string(),
  device_name: z.string(),
  os: z.string(),
  agent_version: z.string(),
  last_backup: timestamp.nullable(),
  /** When the device was last heard of: its registration, if it never was. */
  last_seen: timestamp,
  /** For how long a device has to stay away to count as offline. */
  threshold_seconds: z.int().positive(),
});

/** What made a run suspicious; src/service/security/ransomware.ts decides. */
export const RANSOMWARE_REASONS = ['mass_rewrite', 'mass_encryption', 'known_names'] as const;

const ransomwareDetectedData = z.object({
  /** The run's; it is judged before it completes, so it has no `backup_id` yet. */
  session_id: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  backup_set: z.string(),
  detected_at: timestamp,
  reasons: z.array(z.enum(RANSOMWARE_REASONS)).min(1),
  /** Files of the restore point before. */
  files_before: z.int().nonnegative(),
  /** Of these, those that have other contents now, or are gone while as many new ones came. */
  files_rewritten: z.int().nonnegative(),
  /** New bytes in a hundred bytes of the files that were rewritten or added. */
  new_data_percent: z.number().min(0).max(100),
  /** What the agent saw, where it reports it; null where it does not. */
  suspicious_names: z.int().nonnegative().nullable(),
  incompressible_files: z.int().nonnegative().nullable(),
});

const mfaDisabledData = z.object({
  user_id: z.string(),
  email: z.string(),
  role: z.string(),
  /** The team member who did it; null where the operator of the service did. */
  disabled_by: z.string().nullable(),
  disabled_at: timestamp,
});

const paymentFailedData = z.object({
  plan: z.string(),
  /** As the payment provider, or the admin, worded it. */
  reason: z.string(),
  /** Decimal, as `19.90`; null where nobody said. */
  amount: z.string().nullable(),
  /** ISO 4217. */
  currency: z.string().nullable(),
  failed_at: timestamp,
});

/** `changed`: neither limit is above the other. Null as a limit: none. */
const planChangedData = z.object({
  previous_plan: z.string().nullable(),
  plan: z.string(),
  change: z.enum(['upgraded', 'downgraded', 'changed']),
  previous_limit_bytes: z.int().positive().nullable(),
  limit_bytes: z.int().positive().nullable(),
  storage_used_bytes: z.int().nonnegative(),
  changed_at: timestamp,
});

/** Told once for each time that the use goes over the threshold; it has to go below it to be told again. */
const approachingLimitData = z.object({
  plan: z.string(),
  limit_bytes: z.int().positive(),
  storage_used_bytes: z.int().nonnegative(),
  used_percent: z.number().nonnegative(),
  threshold_percent: z.literal(80),
  reached_at: timestamp,
});

/** The `data` of each event. */
export const EVENT_DATA = {
  'backup.started': backupStartedData,
  'backup.completed': backupCompletedData,
  'backup.failed': backupFailedData,
  'backup.warning': backupWarningData,
  'restore.started': restoreStartedData,
  'restore.completed': restoreCompletedData,
  'device.registered': deviceRegisteredData,
  'device.offline': deviceOfflineData,
  'security.ransomware_detected': ransomwareDetectedData,
  'security.mfa_disabled': mfaDisabledData,
  'billing.payment_failed': paymentFailedData,
  'billing.plan_changed': planChangedData,
  'billing.approaching_limit': approachingLimitData,
} as const satisfies Record<EventType, z.ZodType>;

/** One event as the service emits it: its type with the data that belongs to it. */
export type EmittedEvent = {
  readonly [Type in keyof typeof EVENT_DATA]: {
    readonly event: Type;
    readonly data: Readonly<z.infer<(typeof EVENT_DATA)[Type]>>;
  };
}[keyof typeof EVENT_DATA];

export const WEBHOOK_SIGNATURE_HEADER = 'X-Service-Signature';
export const WEBHOOK_EVENT_HEADER = 'X-Service-Event';
export const WEBHOOK_DELIVERY_HEADER = 'X-Service-Delivery';

/** `sha256=<hex>`: lowercase hex HMAC-SHA256 over the exact bytes of the body, keyed with the signing secret. */
export function formatWebhookSignature(hexHmac: string): string {
  return `sha256=${hexHmac}`;
}
