import { z } from 'zod';
import { identifier } from './identifier.ts';
import { chunkHash, chunkReference } from './chunk.ts';
import { storedPath } from './path.ts';
import { timestamp } from './timestamp.ts';

/** One file of a backup manifest; its chunks are in file order and their sizes sum to `size`. */
export const backupFileEntry = z.object({
  path: storedPath,
  size: z.int().nonnegative(),
  modified: timestamp,
  chunks: z.array(chunkReference),
});
export type BackupFileEntry = z.infer<typeof backupFileEntry>;

/** The fields of an init request without `files`, which are streamed (json-array-stream.ts). */
export const backupInitHead = z.object({
  device_id: identifier,
  backup_set: z.string().min(1),
});
export type BackupInitHead = z.infer<typeof backupInitHead>;

export const backupInitRequest = backupInitHead.extend({ files: z.array(backupFileEntry) });

/** The fields of init's response without `chunks_needed`, which is streamed. */
export const backupInitResponseHead = z.object({
  session_id: identifier,
  chunks_deduped: z.int().nonnegative(),
  chunks_to_upload: z.int().nonnegative(),
});
export type BackupInitResponseHead = z.infer<typeof backupInitResponseHead>;

export const backupInitResponse = backupInitResponseHead.extend({ chunks_needed: z.array(chunkReference) });

/**
 * `chunk_size` is the size of the encrypted blob, which the returned Content-Length has to match. `plaintext_size` belongs to the
 * extension `backup.open`: without it, a session that waits for its manifest takes the chunk for uncompressed.
 */
export const backupPresignRequest = z.object({
  session_id: identifier,
  chunk_hash: chunkHash,
  chunk_size: z.int().positive(),
  plaintext_size: z.int().positive().optional(),
});
export type BackupPresignRequest = z.infer<typeof backupPresignRequest>;

export const backupPresignResponse = z.object({
  upload_url: z.url(),
  expires_in: z.number().positive(),
  method: z.string(),
  headers: z.record(z.string(), z.string()),
});
export type BackupPresignResponse = z.infer<typeof backupPresignResponse>;

export const backupProgressRequest = z.object({
  session_id: identifier,
  chunks_uploaded: z.int().nonnegative(),
  chunks_total: z.int().nonnegative(),
  bytes_uploaded: z.int().nonnegative(),
});
export type BackupProgressRequest = z.infer<typeof backupProgressRequest>;

export const backupStats = z.object({
  files_processed: z.int().nonnegative(),
  chunks_new: z.int().nonnegative(),
  chunks_deduped: z.int().nonnegative(),
  bytes_scanned: z.int().nonnegative(),
  bytes_uploaded: z.int().nonnegative(),
  duration_seconds: z.int().nonnegative(),
  /** Extension `backup.complete.signals`: files whose state on the disk is not in the backup. */
  warnings: z.int().nonnegative().optional(),
  /** … files that were read and are named as by known ransomware, or look encrypted. */
  suspicious_names: z.int().nonnegative().optional(),
  incompressible_files: z.int().nonnegative().optional(),
  /** … changed files that are no longer, new files that replace others encrypted, and all that are what their names say. */
  damaged_files: z.int().nonnegative().optional(),
  replaced_files: z.int().nonnegative().optional(),
  intact_files: z.int().nonnegative().optional(),
  /** Extension `backup.complete.time`: the time of a restore point that was copied from elsewhere. */
  restore_point: timestamp.optional(),
});
export type BackupStats = z.infer<typeof backupStats>;

export const backupCompleteRequest = z.object({
  session_id: identifier,
  stats: backupStats,
});

/** Response to complete. The interface documents only the value `completed` of `status`. */
export const backupRun = z.object({
  backup_id: identifier,
  status: z.string(),
  restore_point: timestamp,
  /** As in the list of restore points. */
  completed_at: timestamp.optional(),
  storage_used_bytes: z.number().nonnegative(),
  dedup_savings_percent: z.number(),
});
export type BackupRun = z.infer<typeof backupRun>;
