import { z } from 'zod';
import { identifier } from './identifier.ts';
import { chunkHash } from './chunk.ts';
import { entryPath } from './path.ts';
import { timestamp } from './timestamp.ts';

export const restoreManifestRequest = z.object({
  device_id: identifier,
  backup_set: z.string().min(1),
  point_in_time: timestamp,
  path: z.string(),
  recursive: z.boolean(),
});
export type RestoreManifestRequest = z.infer<typeof restoreManifestRequest>;

/** One file of a restore manifest; its chunks are hashes only, in file order. */
export const restoreFileEntry = z.object({
  path: entryPath,
  size: z.int().nonnegative(),
  modified: timestamp,
  chunks: z.array(chunkHash),
});
export type RestoreFileEntry = z.infer<typeof restoreFileEntry>;

/** The fields of a manifest without `files`, which are streamed. `directories` is an extension for `recursive: false`. */
export const restoreManifestHead = z.object({
  restore_session_id: identifier,
  point_in_time: timestamp,
  total_files: z.int().nonnegative(),
  total_chunks: z.int().nonnegative(),
  unique_chunks: z.int().nonnegative(),
  total_bytes: z.int().nonnegative(),
  directories: z.array(z.string()).optional(),
});
export type RestoreManifestHead = z.infer<typeof restoreManifestHead>;

export const restoreManifestResponse = restoreManifestHead.extend({ files: z.array(restoreFileEntry) });

/** Hashes per restore presign call, as the interface recommends. */
export const RESTORE_PRESIGN_BATCH = 100;

export const restorePresignRequest = z.object({
  restore_session_id: identifier,
  chunk_hashes: z.array(chunkHash),
});

/** `size` is the size of the encrypted blob. */
export const presignedDownload = z.object({
  hash: chunkHash,
  url: z.url(),
  size: z.int().positive(),
  expires_in: z.number().positive(),
});
export type PresignedDownload = z.infer<typeof presignedDownload>;

export const restorePresignResponse = z.object({ downloads: z.array(presignedDownload) });
