import { z } from 'zod';
import { failure } from '../../base/calls/answer.ts';
import { method } from '../../base/calls/contract.ts';
import { setName } from './configured-set.ts';

/** The restore points of a set, of this device or another. */
const reference = { set: setName, device: z.string().optional() };

export const restorePoint = z.object({
  /** ISO 8601: names it, and is its time. */
  restorePoint: z.string(),
  backupId: z.string(),
  files: z.int(),
  bytes: z.number(),
  isPinned: z.boolean().optional(),
});
export type RestorePoint = Readonly<z.infer<typeof restorePoint>>;

export const browsedEntry = z.object({
  /** The entry path at the service, which `restore.start` takes. */
  path: z.string(),
  name: z.string(),
  type: z.enum(['file', 'directory', 'symlink']),
  size: z.number(),
  /** ISO 8601. */
  modified: z.string(),
  /** Of a folder: the files in it, however deep, and their bytes; nothing while they are not all known. */
  within: z.object({ files: z.int(), bytes: z.number() }).optional(),
});
export type BrowsedEntry = Readonly<z.infer<typeof browsedEntry>>;

export const conflictChoice = z.enum(['skip', 'overwrite', 'keep-both']);
export type ConflictChoice = z.infer<typeof conflictChoice>;

export const restoreRequest = z.object({
  ...reference,
  restorePoint: z.string(),
  /** Entry paths; none is everything. */
  paths: z.array(z.string()),
  /** Entry paths that stay out, with everything below; one of `paths` inside of one comes back all the same. */
  without: z.array(z.string()).optional(),
  to: z.string().min(1),
  conflict: conflictChoice.optional(),
});
export type RestoreRequest = Readonly<z.infer<typeof restoreRequest>>;

export const restoreMethods = {
  /** Newest first. */
  'restore.points': method(z.object(reference), z.object({ points: z.array(restorePoint) })),
  /** Sets with restore points at the destination, of all devices. */
  'restore.sources': method(
    z.object({}),
    z.object({ sources: z.array(z.object({ set: setName, device: z.string().optional(), deviceName: z.string() })) }),
  ),
  /**
   * Opens a folder of a restore point for reading in pages, folders first, by name; one that takes long to be read, in the
   * order in which it is read. A row keeps its place. `listing` is then given to `restore.rows`; the agent keeps the
   * newest few and drops others: `restore.rows` fails with `refused` then.
   */
  'restore.open': method(
    z.object({ ...reference, restorePoint: z.string(), path: z.string() }),
    z.object({ listing: z.string() }),
  ),
  /** Rows `from` … `from + count`. `total` grows while the folder is still being read (`isComplete` false). */
  'restore.rows': method(
    z.object({ listing: z.string(), from: z.int().min(0), count: z.int().min(1).max(1000) }),
    z.object({ entries: z.array(browsedEntry), total: z.int(), isComplete: z.boolean() }),
  ),
  /** Those of the paths that there are at that time; answers once the tree has been read so far. */
  'restore.find': method(
    z.object({ ...reference, restorePoint: z.string(), paths: z.array(z.string()) }),
    z.object({ entries: z.array(browsedEntry) }),
  ),
  /**
   * What a restore would do; nothing is written, whatever else is at work. One is made at a time: a newer question ends the
   * one before with `interrupted`. `conflicts` are the first 1,000 of `conflictsTotal`. Fails with `target_unwritable`,
   * `target_inside_source`, `path_not_found`, …
   */
  'restore.plan': method(
    restoreRequest,
    z.object({
      files: z.int(),
      bytes: z.number(),
      conflicts: z.array(z.string()),
      conflictsTotal: z.int().optional(),
      freeBytes: z.number().optional(),
    }),
  ),
  /**
   * Begins it; it goes on as a run of the state. Without a choice for conflicts it fails with `target_conflict` where there
   * are any, before there is a run; and with `home_busy` while something else is at work.
   */
  'restore.start': method(restoreRequest, z.object({ run: z.int() })),
  /**
   * Begins it as soon as what is at work has ended, over a restart too. One waits at a time: it takes the place of one
   * before.
   */
  'restore.later': method(restoreRequest, z.object({})),
  /** The restore that waits; `failure` is why the last one did not begin or go on by itself, and `stopped` which one that is. */
  'restore.waiting': method(
    z.object({}),
    z.object({
      request: restoreRequest.optional(),
      failure: failure.optional(),
      stopped: restoreRequest.optional(),
    }),
  ),
  /** It waits no more, and is not begun. */
  'restore.forget': method(z.object({}), z.object({})),
} as const;

export const restoreFailure = z.object({
  path: z.string(),
  reason: z.string(),
  detail: z.string().optional(),
});
export type RestoreFailure = Readonly<z.infer<typeof restoreFailure>>;

/** Of a run's end, by its kind. */
export const runReport = z.object({
  restorePoint: z.string().optional(),
  files: z.int(),
  filesSkipped: z.int().optional(),
  chunksNew: z.int().optional(),
  chunksDeduped: z.int().optional(),
  /** Read for a backup, written for a restore. */
  bytes: z.number(),
  /** Over the line. */
  bytesTransferred: z.number(),
  seconds: z.number().optional(),
  /** Where a restore went to. */
  to: z.string().optional(),
  warnings: z.array(z.object({ path: z.string(), reason: z.string() })),
  failures: z.array(restoreFailure),
  failuresTotal: z.int(),
  failure: failure.optional(),
});
export type RunReport = Readonly<z.infer<typeof runReport>>;
