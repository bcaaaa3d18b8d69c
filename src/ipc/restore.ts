import { z } from 'zod';
import { failure } from './failure.ts';
import { method } from './method.ts';
import { setName } from './sets.ts';

/** Which restore points: a set of this device, or of another one. */
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
});
export type BrowsedEntry = Readonly<z.infer<typeof browsedEntry>>;

export const conflictChoice = z.enum(['skip', 'overwrite', 'keep-both']);
export type ConflictChoice = z.infer<typeof conflictChoice>;

const restoreRequest = z.object({
  ...reference,
  restorePoint: z.string(),
  /** Entry paths; none is everything. */
  paths: z.array(z.string()),
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
  /** What a restore would do, before it writes anything. */
  'restore.plan': method(
    restoreRequest,
    z.object({ files: z.int(), bytes: z.number(), conflicts: z.array(z.string()), freeBytes: z.number().optional() }),
  ),
  /** Begins it; it goes on as a run of the state. Fails with `target_conflict` before it writes, `home_busy`, … */
  'restore.start': method(restoreRequest, z.object({ run: z.int() })),
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
