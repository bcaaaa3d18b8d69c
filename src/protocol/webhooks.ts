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

/** Event of a test delivery. Nobody subscribes to it. */
export const WEBHOOK_TEST = 'webhook.test';

export const webhookBody = z.object({
  event: eventType,
  timestamp,
  delivery_id: z.string().min(1),
  account_id: z.string().min(1),
  data: z.record(z.string(), z.unknown()),
});
export type WebhookBody = z.infer<typeof webhookBody>;

/**
 * `data` of `backup.completed`, the only event whose shape the interface documents. The others use the same names for the same
 * facts. None contains file paths.
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

/** A run gets its `backup_id` on completion. Until then its session identifies it. */
const backupStartedData = z.object({
  session_id: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  backup_set: z.string(),
  start_time: timestamp,
});

/** `aborted`: the agent aborted the run; `expired`: it was not completed in time. */
const backupFailedData = backupStartedData.extend({
  status: z.literal('failed'),
  end_time: timestamp,
  reason: z.enum(['aborted', 'expired']),
});

/** Device and set are those of the backup. Another device may be restoring it. */
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
 * Sent in addition to the `backup.completed` of the same run: there is a restore point, but `warnings` files are not in it in
 * their state on the disk. Only the agent knows which.
 */
const backupWarningData = backupCompletedData.extend({
  status: z.literal('completed_with_warnings'),
  warnings: z.int().positive(),
});

/** Sent once per absence of a device. */
const deviceOfflineData = z.object({
  device_id: z.string(),
  device_name: z.string(),
  os: z.string(),
  agent_version: z.string(),
  last_backup: timestamp.nullable(),
  /** Time of the device's last request, or of its registration. */
  last_seen: timestamp,
  /** Absence after which a device counts as offline. */
  threshold_seconds: z.int().positive(),
});

/** Reasons for suspecting ransomware (src/rules/ransomware.ts). */
export const RANSOMWARE_REASONS = [
  'mass_rewrite',
  'mass_encryption',
  'mass_deletion',
  'mass_damage',
  'known_names',
] as const;

const ransomwareDetectedData = z.object({
  /** The run is evaluated before it completes, so it has no `backup_id` yet. */
  session_id: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  backup_set: z.string(),
  detected_at: timestamp,
  reasons: z.array(z.enum(RANSOMWARE_REASONS)).min(1),
  /** Files of the previous restore point. */
  files_before: z.int().nonnegative(),
  /** Those of them whose content changed, or that were replaced by new files. */
  files_rewritten: z.int().nonnegative(),
  /** Percentage of new bytes in rewritten and added files. */
  new_data_percent: z.number().min(0).max(100),
  /** The numbers reported by the agent; null if it does not report them. */
  suspicious_names: z.int().nonnegative().nullable(),
  incompressible_files: z.int().nonnegative().nullable(),
  damaged_files: z.int().nonnegative().nullable(),
  replaced_files: z.int().nonnegative().nullable(),
  intact_files: z.int().nonnegative().nullable(),
});

const mfaDisabledData = z.object({
  user_id: z.string(),
  email: z.string(),
  role: z.string(),
  /** The team member who did it; null for the operator of the service. */
  disabled_by: z.string().nullable(),
  disabled_at: timestamp,
});

const paymentFailedData = z.object({
  plan: z.string(),
  /** In the words of the payment provider or the admin. */
  reason: z.string(),
  /** Decimal, such as `19.90`; null if unknown. */
  amount: z.string().nullable(),
  /** ISO 4217. */
  currency: z.string().nullable(),
  failed_at: timestamp,
});

/** `changed`: neither limit is higher. A limit of null means none. */
const planChangedData = z.object({
  previous_plan: z.string().nullable(),
  plan: z.string(),
  change: z.enum(['upgraded', 'downgraded', 'changed']),
  previous_limit_bytes: z.int().positive().nullable(),
  limit_bytes: z.int().positive().nullable(),
  storage_used_bytes: z.int().nonnegative(),
  changed_at: timestamp,
});

/** Sent once each time that the usage rises above the threshold. */
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

/** An event type with its data. */
export type EmittedEvent = {
  readonly [Type in keyof typeof EVENT_DATA]: {
    readonly event: Type;
    readonly data: Readonly<z.infer<(typeof EVENT_DATA)[Type]>>;
  };
}[keyof typeof EVENT_DATA];

export const WEBHOOK_SIGNATURE_HEADER = 'X-Service-Signature';
export const WEBHOOK_EVENT_HEADER = 'X-Service-Event';
export const WEBHOOK_DELIVERY_HEADER = 'X-Service-Delivery';

/** Formats a signature: the lowercase hex HMAC-SHA256 of the exact body, keyed with the signing secret. */
export function formatWebhookSignature(hexHmac: string): string {
  return `sha256=${hexHmac}`;
}
