import { z } from 'zod';
import { identifier, opaqueToken } from './identifier.ts';
import { DEVICE_PERMISSIONS } from './auth.ts';
import { backupInitHead, backupPresignRequest, backupPresignResponse } from './backup.ts';
import type { BackupFileEntry } from './backup.ts';
import { chunkHash } from './chunk.ts';
import { entryPath } from './path.ts';
import { restoreManifestRequest } from './restore.ts';
import { timestamp } from './timestamp.ts';

/** Extensions of the interface, from `GET /functions/v1/capabilities`; a 404 means none. */
export const CAPABILITIES = [
  'backup.presign.batch',
  'backup.abort',
  'backup.check',
  'backup.compression',
  'backup.init.delta',
  'backup.open',
  'backup.pack',
  'backup.complete.signals',
  'backup.complete.time',
  'restore_points',
  'backup_sets',
  'restore.directories',
  'restore.pack',
  'restore.report',
  'retention',
  'devices.register',
  'account.key',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const capabilities = z.object({ capabilities: z.array(z.string()) });

/**
 * The fields of an init request before `files`. With `base`, the `backup_id` of the set's newest run, `files` contains the
 * differences from that run, in path order: new and changed file entries, and removals. The response is 409 `base_outdated` if
 * `base` is not the newest run.
 */
export const deltaInitHead = backupInitHead.extend({
  base: identifier.optional(),
  /** An open session (`backupOpenRequest`) that this manifest belongs to. */
  session_id: identifier.optional(),
});
export type DeltaInitHead = z.infer<typeof deltaInitHead>;

/** Removes a path with everything below it. Files that exist there follow. */
export const removedEntry = z.object({ path: entryPath, removed: z.literal(true) });
export type RemovedEntry = z.infer<typeof removedEntry>;
export type DeltaEntry = BackupFileEntry | RemovedEntry;

/** Most chunks of one batch presign request. */
export const BACKUP_PRESIGN_BATCH = 1000;

export const backupPresignBatchRequest = z.object({
  session_id: identifier,
  chunks: z
    .array(backupPresignRequest.omit({ session_id: true }))
    .min(1)
    .max(BACKUP_PRESIGN_BATCH),
});

/** A chunk of the request that is in neither list has to be presigned singly. */
export const backupPresignBatchResponse = z.object({
  uploads: z.array(backupPresignResponse.extend({ chunk_hash: chunkHash })),
  /** Chunks whose blobs are already stored. */
  stored: z.array(chunkHash).optional(),
});

/**
 * `POST /functions/v1/backup/open` starts a session before its manifest is known, so that chunks can be uploaded while files
 * are still being read. Until init, presign accepts any chunk.
 */
export const backupOpenRequest = backupInitHead;
export const backupOpenResponse = z.object({ session_id: identifier });

/** Most chunks that one backup session may download for a check (`backup.check`). */
export const CHECKED_CHUNKS = 64;

/** `reported`: the agent reports itself what it does with the session, and requests to it emit no events. */
export const reportedManifestRequest = restoreManifestRequest.extend({ reported: z.boolean().optional() });
export type ReportedManifestRequest = z.infer<typeof reportedManifestRequest>;

/**
 * Reports the start of a restore, with what it is about to write, or its end, with what it has written. Only complete restores are
 * reported as `completed`.
 */
export const restoreReportRequest = z.object({
  restore_session_id: identifier,
  state: z.enum(['started', 'completed']),
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
});
export type RestoreReportRequest = z.infer<typeof restoreReportRequest>;

export const backupAbortRequest = z.object({ session_id: identifier });

export const restorePoint = z.object({
  restore_point: timestamp,
  /** When the run was completed, if that is clearly earlier: the time of a restore point follows one from a clock that was ahead. */
  completed_at: timestamp.optional(),
  backup_id: identifier,
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
  /** All permissions by default. */
  permissions: z.array(z.enum(DEVICE_PERMISSIONS)).min(1).optional(),
});
export type RegisterDeviceRequest = z.infer<typeof registerDeviceRequest>;
export const registerDeviceResponse = z.object({
  device: z.object({ id: identifier, name: z.string(), permissions: z.array(z.string()) }),
  device_key: opaqueToken,
});
export type RegisterDeviceResponse = z.infer<typeof registerDeviceResponse>;

/**
 * `GET /functions/v1/account_key`: the id of the key that the first computer of an account backs up with, from its set-up on. `null` if
 * no computer has claimed one. `may_claim` is false for whom the claim would be refused.
 */
export const accountKey = z.object({ key_id: identifier.nullable(), may_claim: z.boolean().optional() });

/** `POST /functions/v1/account_key` claims it for a device, and has the same response: another id if another device was first. */
export const claimAccountKeyRequest = z.object({ key_id: identifier, device_id: identifier });
export type ClaimAccountKeyRequest = z.infer<typeof claimAccountKeyRequest>;
