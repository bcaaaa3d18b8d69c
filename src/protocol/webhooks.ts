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

/** The `data` of each event that Holdfast's service emits. */
export const EVENT_DATA = {
  'backup.started': backupStartedData,
  'backup.completed': backupCompletedData,
  'backup.failed': backupFailedData,
  'restore.started': restoreStartedData,
  'restore.completed': restoreCompletedData,
  'device.registered': deviceRegisteredData,
} as const satisfies Partial<Record<EventType, z.ZodType>>;

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
