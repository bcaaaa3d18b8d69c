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

/** `data` of `backup.completed`, the one event whose shape the interface shows. */
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

export const WEBHOOK_SIGNATURE_HEADER = 'X-Service-Signature';
export const WEBHOOK_EVENT_HEADER = 'X-Service-Event';
export const WEBHOOK_DELIVERY_HEADER = 'X-Service-Delivery';

/** `sha256=<hex>`: HMAC-SHA256 over the exact bytes of the body, keyed with the signing secret. */
export function formatWebhookSignature(hexHmac: string): string {
  return `sha256=${hexHmac}`;
}
