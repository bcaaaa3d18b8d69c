import { z } from 'zod';
import { DEVICE_PERMISSIONS } from './auth.ts';
import { backupInitHead, backupPresignResponse } from './backup.ts';
import type { BackupFileEntry } from './backup.ts';
import { chunkHash } from './chunk.ts';
import { entryPath } from './path.ts';
import { timestamp } from './timestamp.ts';

/** What a service has beyond the interface, from `GET /functions/v1/capabilities`; 404 there means none. */
export const CAPABILITIES = [
  'backup.presign.batch',
  'backup.abort',
  'backup.init.delta',
  'backup.open',
  'backup.pack',
  'backup.complete.signals',
  'restore_points',
  'backup_sets',
  'restore.directories',
  'restore.pack',
  'devices.register',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const capabilities = z.object({ capabilities: z.array(z.string()) });

/**
 * What init carries beside its `files`. With `base`, the `backup_id` of the newest run of the device's set, these are the
 * differences from that run's tree, in path order: file entries that are new or changed, and removals. `base` stands
 * before the files. Where it is not the newest run any more: 409 `base_outdated`.
 */
export const deltaInitHead = backupInitHead.extend({
  base: z.string().min(1).optional(),
  /** A session that was opened before (`backupOpenRequest`) and goes on with this manifest. Stands before the files. */
  session_id: z.string().min(1).optional(),
});
export type DeltaInitHead = z.infer<typeof deltaInitHead>;

/** That path is gone, with everything below it; files that are there nevertheless follow. */
export const removedEntry = z.object({ path: entryPath, removed: z.literal(true) });
export type RemovedEntry = z.infer<typeof removedEntry>;
export type DeltaEntry = BackupFileEntry | RemovedEntry;

/** Chunks that one batch presign may carry. */
export const BACKUP_PRESIGN_BATCH = 1000;

export const backupPresignBatchRequest = z.object({
  session_id: z.string().min(1),
  chunks: z
    .array(z.object({ chunk_hash: chunkHash, chunk_size: z.int().positive() }))
    .min(1)
    .max(BACKUP_PRESIGN_BATCH),
});
export type BackupPresignBatchRequest = z.infer<typeof backupPresignBatchRequest>;

/** A chunk of the request that is in neither list is one that the service forgot: it has to be asked for singly. */
export const backupPresignBatchResponse = z.object({
  uploads: z.array(backupPresignResponse.extend({ chunk_hash: chunkHash })),
  /** Those whose blobs are there already. */
  stored: z.array(chunkHash).optional(),
});
export type BackupPresignBatchResponse = z.infer<typeof backupPresignBatchResponse>;

/**
 * `POST /functions/v1/backup/open` starts a session before its manifest is known, so that chunks can be uploaded while
 * files are still being read: until init goes on with it, presign takes any chunk.
 */
export const backupOpenRequest = backupInitHead;
export const backupOpenResponse = z.object({ session_id: z.string().min(1) });

export const backupAbortRequest = z.object({ session_id: z.string().min(1) });

export const restorePoint = z.object({
  restore_point: timestamp,
  backup_id: z.string().min(1),
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
});
export type RestorePoint = z.infer<typeof restorePoint>;
/** Newest first. */
export const restorePointList = z.object({ restore_points: z.array(restorePoint) });

export const backupSet = z.object({ name: z.string().min(1), last_restore_point: timestamp.nullish() });
export type BackupSet = z.infer<typeof backupSet>;
export const backupSetList = z.object({ backup_sets: z.array(backupSet) });

export const registerDeviceRequest = z.object({
  name: z.string().min(1).max(200),
  os: z.string().max(200),
  agent_version: z.string().max(100),
  /** All of them where nothing is said. */
  permissions: z.array(z.enum(DEVICE_PERMISSIONS)).min(1).optional(),
});
export type RegisterDeviceRequest = z.infer<typeof registerDeviceRequest>;
export const registerDeviceResponse = z.object({
  device: z.object({ id: z.string().min(1), name: z.string(), permissions: z.array(z.string()) }),
  device_key: z.string().min(1),
});
export type RegisterDeviceResponse = z.infer<typeof registerDeviceResponse>;
