import { z } from 'zod';
import { checkResult } from './check.ts';
import { failure } from '../../../base/calls/answer.ts';
import { method } from '../../../base/calls/contract.ts';
import { place, destinationId } from '../../../model/destination.ts';
import { restoreRequest } from '../../../model/restore-request.ts';
import { restorePoint } from '../../../model/restore-point.ts';
import { setName } from '../../../model/set.ts';
import { fileOnDisk, nameProblem } from './target.ts';

/**
 * The restore points of a set, of this device or another, at one destination. By default at the nearest that is at hand and has the
 * newest restore point.
 */
export const reference = { set: setName, device: z.string().optional(), destination: destinationId.optional() };

export const browsedEntry = z.object({
  /** The entry path at the service, which `restore.start` takes. */
  path: z.string(),
  name: z.string(),
  type: z.enum(['file', 'directory', 'symlink']),
  size: z.number(),
  /** ISO 8601. */
  modified: z.string(),
  /** The files below a folder at any depth, and their bytes; missing until all of them are known. */
  within: z.object({ files: z.int(), bytes: z.number() }).optional(),
});
export type BrowsedEntry = Readonly<z.infer<typeof browsedEntry>>;

/** The order of a listing. Folders are always first; the name decides between equals. */
const listingOrder = z.object({ by: z.enum(['name', 'size', 'modified']), isDescending: z.boolean() });
export type ListingOrder = Readonly<z.infer<typeof listingOrder>>;

/** Only the command line accepts what nothing proves. */
const request = restoreRequest.omit({ acceptUnverified: true }).extend({ destination: destinationId.optional() });

/** Something that is in the place of an entry. */
const metEntry = z.object({
  /** Entry path. */
  path: z.string(),
  /** `newer`: modified after the version that is restored; `same-time`: its size and time are those of that version. */
  kind: z.enum(['changed', 'newer', 'same-time', 'other-type']),
  type: z.enum(['file', 'directory', 'symlink']),
  size: z.number(),
  /** Milliseconds since the epoch, as below. */
  modified: z.number().optional(),
  /** What is on this computer. */
  there: z.object({ type: z.enum(['file', 'directory', 'symlink', 'other']), size: z.number(), modified: z.number() }),
});
export type MetEntry = Readonly<z.infer<typeof metEntry>>;

/** What became of the entries of a restore that was undone. */
export const undoOutcome = z.object({
  putBack: z.int(),
  movedAside: z.int(),
  movedTo: z.array(z.string()),
  /** The first of `notUndoneTotal`. `reason` is `changed`, `gone`, `invalid`, or a system error. */
  notUndone: z.array(z.object({ path: z.string(), reason: z.string() })),
  notUndoneTotal: z.int(),
});
export type UndoOutcome = Readonly<z.infer<typeof undoOutcome>>;

export const restoreMethods = {
  /** Newest first. */
  'restore.points': method(
    z.object(reference),
    z.object({
      points: z.array(restorePoint),
      /** The one that they are at, if there are several. */
      destination: place.optional(),
      /** How many that this computer made are not listed although nothing has removed them, and how many have another time there. */
      missing: z.int().optional(),
      moved: z.int().optional(),
      /**
       * The destination cannot be reached, and why: the restore points are those that this computer knows. They can be browsed, and their contents
       * are there only.
       */
      away: z.object({ destination: place, failure }).optional(),
    }),
  ),
  /**
   * Sets with restore points, of all devices: at a destination, or at any. Of one that is away, those that this computer knows; `deviceName` is empty
   * if only the destination knows it.
   */
  'restore.sources': method(
    z.object({ destination: destinationId.optional() }),
    z.object({ sources: z.array(z.object({ set: setName, device: z.string().optional(), deviceName: z.string() })) }),
  ),
  /**
   * Opens a folder of a restore point for reading in pages, folders first, by default by name. A folder that is slow to read is
   * in reading order, which `restore.rows` tells; opened again when it is complete, it is sorted. A row keeps its position.
   * `listing` is the handle for `restore.rows`; the agent keeps the newest few and drops others, for which `restore.rows` fails
   * with `refused`.
   */
  'restore.open': method(
    z.object({ ...reference, restorePoint: z.string(), path: z.string(), order: listingOrder.optional() }),
    z.object({ listing: z.string() }),
  ),
  /** Rows `from` … `from + count`. `total` grows while the folder is still being read (`isComplete` false). */
  'restore.rows': method(
    z.object({ listing: z.string(), from: z.int().min(0), count: z.int().min(1).max(1000) }),
    z.object({
      entries: z.array(browsedEntry),
      total: z.int(),
      isComplete: z.boolean(),
      /** False if the rows are in the order in which they were read. */
      isSorted: z.boolean(),
    }),
  ),
  /** Finds the next row from `from` on whose name begins with a text, in any case, and wraps around. Fails as `restore.rows`. */
  'restore.jump': method(
    z.object({ listing: z.string(), start: z.string().min(1).max(300), from: z.int().min(0) }),
    z.object({ row: z.int().optional() }),
  ),
  /** Returns those of the paths that existed at that time, once the tree has been read up to them. */
  'restore.find': method(
    z.object({ ...reference, restorePoint: z.string(), paths: z.array(z.string()) }),
    z.object({ entries: z.array(browsedEntry) }),
  ),
  /**
   * Plans a restore without writing, also during other work. There is one plan at a time: a newer call ends the previous
   * one with `interrupted`. `conflicts` are the first 1,000 of `conflictsTotal`, of which `conflictsNewer` were modified after the
   * version that is restored. Fails with `target_unwritable`, `target_inside_source`, `path_not_found`, …
   */
  'restore.plan': method(
    request,
    z.object({
      files: z.int(),
      bytes: z.number(),
      conflicts: z.array(z.string()),
      conflictsTotal: z.int().optional(),
      conflictsNewer: z.int().optional(),
      /** Files in their original place that have this content already. */
      unchanged: z.int().optional(),
      /** Bytes that no file there has. */
      bytesToFetch: z.number().optional(),
      /** Of an exact restore: what did not exist then; the first 1,000 of `entries` paths. */
      surplus: z.object({ files: z.int(), bytes: z.number(), paths: z.array(z.string()), entries: z.int() }).optional(),
      freeBytes: z.number().optional(),
      /** Bytes of free space that the files need. */
      bytesNeeded: z.number().optional(),
      /** Files of which nothing exists there. */
      filesNew: z.int().optional(),
      /** Conflicts by their choice. */
      byChoice: z.object({ skip: z.int(), overwrite: z.int(), 'keep-both': z.int() }).optional(),
      /** The first 1,000 of `total`. */
      names: z.object({ named: z.array(nameProblem), total: z.int() }).optional(),
      /** The handle for `restore.met`. */
      plan: z.int().optional(),
    }),
  ),
  /** Returns what a plan has met, `from` … `from + count` of its first 20,000. Fails with `refused` if there is a newer plan. */
  'restore.met': method(
    z.object({ plan: z.int(), from: z.int().min(0), count: z.int().min(1).max(1000) }),
    z.object({ entries: z.array(metEntry), total: z.int() }),
  ),
  /**
   * Begins a restore, which continues as a run in the state. Without a choice for conflicts it fails with
   * `target_conflict` before the run begins if there are any, and with `home_busy` during other work.
   */
  'restore.start': method(request, z.object({ run: z.int() })),
  /**
   * Begins a restore as soon as the current work has ended, also after a restart. One restore waits at a time: a new one
   * replaces the previous one.
   */
  'restore.later': method(request, z.object({})),
  /**
   * Returns the waiting restore. `failure` is the reason why the last one did not begin or continue by itself, and
   * `stopped` identifies it.
   */
  'restore.waiting': method(
    z.object({}),
    z.object({
      request: request.optional(),
      failure: failure.optional(),
      stopped: request.optional(),
    }),
  ),
  /** The newest restore to the original place, if it can be undone. */
  'restore.undoable': method(
    z.object({}),
    z.object({
      last: z
        .object({
          set: setName,
          restorePoint: z.string(),
          /** Identifies it. Milliseconds since the epoch. */
          startedAt: z.number(),
          replaced: z.int(),
          moved: z.int(),
          created: z.int(),
          /** An undo of it was interrupted. */
          isBegun: z.boolean(),
        })
        .optional(),
    }),
  ),
  /** Undoes it, as a run: see `restore.undoable`. Fails with `undo_nothing` if it is another one by now, and with `home_busy` during other work. */
  'restore.undo': method(z.object({ startedAt: z.number() }), undoOutcome),
  /** Returns those of the paths that have a file or a folder on this computer now. */
  'restore.on-disk': method(
    z.object({ paths: z.array(z.string().min(1)).max(100) }),
    z.object({ found: z.array(fileOnDisk) }),
  ),
  /** Cancels the waiting restore. */
  'restore.forget': method(z.object({}), z.object({})),
} as const;

export const restoreFailure = z.object({
  path: z.string(),
  reason: z.string(),
  detail: z.string().optional(),
});
export type RestoreFailure = Readonly<z.infer<typeof restoreFailure>>;

/** What a test restore compared. */
export const drillResult = z.object({
  /** Restored files that are what the backup proves. */
  filesCompared: z.int(),
  /** Of these, files that are the same on this computer's disk. */
  filesSameOnDisk: z.int(),
  /** Files that were chosen for their time. The others were chosen at random. */
  newestFiles: z.int(),
  /** Of the whole restore point. */
  pointFiles: z.int(),
  pointBytes: z.number(),
  /** SHA-256 of the list of hashes. */
  digest: z.string(),
});
export type DrillResult = Readonly<z.infer<typeof drillResult>>;

/** The result of a finished run, by its kind. */
export const runReport = z.object({
  restorePoint: z.string().optional(),
  files: z.int(),
  filesSkipped: z.int().optional(),
  chunksNew: z.int().optional(),
  chunksDeduped: z.int().optional(),
  /** Bytes of files that a backup read, a restore wrote (also before it was interrupted), or a verification opened; of a check, the bytes of the checked files. */
  bytes: z.number(),
  /** The size of all files in the restore point of a backup. */
  bytesInPoint: z.number().optional(),
  /** What the rules of a set have left out of a backup: the least that it is, if not everything was counted. */
  leftOut: z.object({ files: z.int(), bytes: z.number(), isAtLeast: z.literal(true).optional() }).optional(),
  /** The number of restore points that a verification checked. */
  pointsChecked: z.int().optional(),
  /** Bytes transferred over the network. */
  bytesTransferred: z.number(),
  seconds: z.number().optional(),
  /** The target folder of a restore; `null` for the original places. */
  to: z.string().nullable().optional(),
  /** Files in their original place that had the content already. */
  filesUnchanged: z.int().optional(),
  /** Folders with what was replaced. */
  keptIn: z.array(z.string()).optional(),
  /** The first of them. */
  warnings: z.array(z.object({ path: z.string(), reason: z.string() })),
  /** Facts that keep nothing out of a backup. */
  notes: z.array(z.object({ path: z.string(), reason: z.string() })).optional(),
  /** If the warnings are not all of them. */
  warningsTotal: z.int().optional(),
  /** What had the content in its original place already and keeps other attributes. */
  attributesLeft: z.int().optional(),
  failures: z.array(restoreFailure),
  failuresTotal: z.int(),
  /** The number of files that failures are about: one may have several. */
  filesFailed: z.int(),
  /** Only of an undo. */
  undo: undoOutcome.optional(),
  /** Of an export: the archive. */
  file: z.string().optional(),
  /** Of a mount: where it was, and how many reads failed. */
  mount: z.object({ folder: z.string(), errors: z.int() }).optional(),
  /** Only of a check and a repair. */
  check: checkResult.optional(),
  /** Only of a test restore. */
  drill: drillResult.optional(),
  failure: failure.optional(),
});
export type RunReport = Readonly<z.infer<typeof runReport>>;
