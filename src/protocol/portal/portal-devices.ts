import { z } from 'zod';
import { portalBackupSet } from './portal.ts';
import { timestamp } from '../timestamp.ts';

/** Rows of one page of devices or backup sets. */
export const PORTAL_ROWS = 50;

/** The statuses of devices, in the order in which the portal lists them. */
export const LISTED_STATUSES = ['alarm', 'offline', 'warning', 'new', 'healthy', 'revoked'] as const;
export const listedStatus = z.enum(LISTED_STATUSES);
export type ListedStatus = z.infer<typeof listedStatus>;

const offset = z.coerce.number().int().min(0).max(10_000_000).default(0);
const search = z.string().max(200).default('');

/** `search` is part of a name, system or id. */
export const portalDevicesQuery = z.object({ search, status: listedStatus.optional(), offset });
export type PortalDevicesQuery = z.infer<typeof portalDevicesQuery>;
/** `search` is part of the name of a set or device. */
export const portalSetsQuery = z.object({ search, offset });
export type PortalSetsQuery = z.infer<typeof portalSetsQuery>;

export const portalDevice = z.object({
  id: z.string(),
  name: z.string(),
  os: z.string(),
  agent_version: z.string(),
  status: listedStatus,
  last_backup: timestamp.nullable(),
  last_seen: timestamp,
});
export type PortalDevice = z.infer<typeof portalDevice>;

/** Devices by status. */
export const deviceCounts = z.record(listedStatus, z.int());
export type DeviceCounts = z.infer<typeof deviceCounts>;

export const portalDevices = z.object({
  devices: z.array(portalDevice),
  /** The devices that match, on all pages. */
  total: z.int(),
  /** All devices of the account. */
  counts: deviceCounts,
});
export type PortalDevices = z.infer<typeof portalDevices>;

export const portalRun = z.object({
  id: z.string(),
  backup_set: z.string(),
  state: z.enum(['running', 'completed', 'failed']),
  started: timestamp,
  ended: timestamp.nullable(),
  /** Why a failed run ended; `null` if its manifest never arrived completely. */
  failure: z.enum(['aborted', 'expired']).nullable(),
  files: z.int(),
  bytes: z.int(),
  bytes_new: z.int(),
  warnings: z.int(),
  /** True if it looked like ransomware. */
  suspicious: z.boolean(),
});
export type PortalRun = z.infer<typeof portalRun>;

/** A day (UTC) on which runs ended. */
export const portalDeviceDay = z.object({ day: z.iso.date(), completed: z.int(), failed: z.int() });
export type PortalDeviceDay = z.infer<typeof portalDeviceDay>;

export const portalDeviceDetails = z.object({
  device: portalDevice.extend({
    registered: timestamp,
    /** The e-mail address of the person who registered it, if the signed-in person may see it. */
    owner: z.string().nullable(),
  }),
  backup_sets: z.array(portalBackupSet),
  /** Sets that are not listed. */
  more_sets: z.int(),
  /** Newest first. */
  runs: z.array(portalRun),
  /** The last 90 days, oldest first, without those on which nothing ended. */
  days: z.array(portalDeviceDay),
});
export type PortalDeviceDetails = z.infer<typeof portalDeviceDetails>;

const device = { device_id: z.string(), device_name: z.string() };

/** Something that needs somebody. */
export const attentionItem = z.discriminatedUnion('kind', [
  /** The service is a muted copy. For owners and admins only. */
  z.object({ kind: z.literal('muted') }),
  z.object({
    kind: z.literal('alarm'),
    ...device,
    backup_set: z.string(),
    raised: timestamp,
    /** Of the suspicious run; `null` if it did not complete, or the point was removed. */
    restore_point: timestamp.nullable(),
    /** The newest restore point before the first alarm. */
    last_good: timestamp.nullable(),
    /** Those of `security.ransomware_detected`. */
    reasons: z.array(z.string()),
  }),
  /** Removals are held, without a known alarm. */
  z.object({ kind: z.literal('held'), since: timestamp }),
  /** Blobs that were stored are gone. */
  z.object({ kind: z.literal('lost'), chunks: z.int() }),
  /** 80 % of the plan's limit or more is used. */
  z.object({ kind: z.literal('limit'), storage_used: z.int(), limit_bytes: z.int() }),
  z.object({ kind: z.literal('payment'), failed: timestamp }),
  /** Deliveries have failed for a day or more; shown to those who manage webhooks. */
  z.object({
    kind: z.literal('webhook'),
    webhook_id: z.string(),
    url: z.string(),
    failing_since: timestamp.nullable(),
    /** When the service switched it off, or will if nothing is delivered until then. */
    switched_off: timestamp.nullable(),
    switches_off: timestamp.nullable(),
  }),
  z.object({ kind: z.literal('offline'), ...device, last_seen: timestamp, last_backup: timestamp.nullable() }),
  z.object({
    kind: z.literal('failed'),
    ...device,
    backup_set: z.string(),
    ended: timestamp,
    failure: z.enum(['aborted', 'expired']).nullable(),
    last_backup: timestamp.nullable(),
  }),
  z.object({ kind: z.literal('late'), ...device, last_seen: timestamp, last_backup: timestamp.nullable() }),
  z.object({ kind: z.literal('new'), ...device, registered: timestamp }),
]);
export type AttentionItem = z.infer<typeof attentionItem>;

export const portalAttention = z.object({
  /** Gravest first. */
  items: z.array(attentionItem),
  /** Devices that need somebody and are not among the items. */
  more_devices: z.int(),
  counts: deviceCounts,
  last_backup: timestamp.nullable(),
});
export type PortalAttention = z.infer<typeof portalAttention>;
