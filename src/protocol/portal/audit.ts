import { z } from 'zod';
import { identifier } from '../identifier.ts';
import { timestamp } from '../timestamp.ts';

export const auditEntry = z.object({
  id: z.string(),
  occurred_at: timestamp,
  kind: z.string(),
  user_id: z.string().nullable(),
  device_id: z.string().nullable(),
  address: z.string().nullable(),
  details: z.record(z.string(), z.string()),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditPage = z.object({
  entries: z.array(auditEntry),
  /** What to ask for `before` to get the older entries; `null` if there are none. A page may be empty and have one. */
  next: z.string().nullable(),
});
export type AuditPage = z.infer<typeof auditPage>;

const filter = {
  /** Kinds, separated by commas: `device.revoked`, or `device` for all that begin with it. */
  kind: z.string().max(1_000).optional(),
  user_id: identifier.optional(),
  device_id: identifier.optional(),
  backup_set: z.string().min(1).max(1_024).optional(),
  /** Inclusive. */
  from: timestamp.optional(),
  /** Exclusive. */
  to: timestamp.optional(),
  /** Part of a name, address, kind or detail of the entry, in capitals or not. */
  search: z.string().max(200).optional(),
};
export const auditFilter = z.object(filter);
export type AuditFilter = z.infer<typeof auditFilter>;

export const auditQuery = z.object({
  ...filter,
  before: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type AuditQuery = z.infer<typeof auditQuery>;

export const AUDIT_FORMATS = ['csv', 'jsonl'] as const;
export const auditExportQuery = z.object({ ...filter, format: z.enum(AUDIT_FORMATS) });
