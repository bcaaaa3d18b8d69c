import { z } from 'zod';
import { method } from '../../../base/calls/contract.ts';
import { destinationId } from '../../../model/destination.ts';
import { setName } from '../../../model/set.ts';

/** Every set by default; with a set, this computer's by default. All destinations by default. */
const reference = { set: setName.optional(), device: z.string().optional(), destination: destinationId.optional() };

const count = z.int().min(1).max(1000);

const kind = z.enum(['file', 'directory', 'symlink']);

/**
 * Times of the first and the last restore point that has something, ISO 8601, which identify them, and when these were made: earlier after a
 * clock that was ahead.
 */
const span = z.object({ from: z.string(), to: z.string(), madeFrom: z.string(), madeTo: z.string() });

const version = span.extend({
  kind,
  size: z.number(),
  /** ISO 8601. */
  modified: z.string(),
  /** Equal for versions with the same bytes. */
  content: z.string(),
});
export type HistoryVersion = Readonly<z.infer<typeof version>>;

/** How many of the restore points are in the answer. Others are filled in in the background, newest first. */
const completeness = z.object({
  known: z.int(),
  total: z.int(),
  /** False as long as a destination has not listed its restore points. */
  isListed: z.boolean(),
  /** Times of those that cannot be read, ISO 8601. */
  damaged: z.array(z.string()),
});
export type HistoryCompleteness = Readonly<z.infer<typeof completeness>>;

const foundPath = z.object({
  /** Entry path. */
  path: z.string(),
  set: setName,
  /** `undefined` for this computer. */
  device: z.string().optional(),
  /** When it existed, oldest first. */
  spans: z.array(span),
  /** Its versions that the filters select, oldest first; with the ids of the destinations that have them. */
  versions: z.array(version.extend({ destinations: z.array(destinationId) })),
  /** Not in the newest restore point. */
  isDeleted: z.boolean(),
});
export type HistoryMatch = Readonly<z.infer<typeof foundPath>>;

/** Files and links that changed, with the bytes that they had and have. */
const changeSums = z.object({
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  bytesBefore: z.number(),
  bytesAfter: z.number(),
});
export type ChangeSums = Readonly<z.infer<typeof changeSums>>;

const changedEntry = z.object({
  path: z.string(),
  /** Of a folder that contains only a folder, with the names of both. */
  name: z.string(),
  isFolder: z.boolean(),
  /** `within` is a folder that existed and exists, with changes in it. */
  state: z.enum(['added', 'changed', 'removed', 'within']),
  sums: changeSums,
});
export type ChangedEntry = Readonly<z.infer<typeof changedEntry>>;

const timelinePoint = z.object({
  /** ISO 8601. */
  restorePoint: z.string(),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  /** Of added and changed files. */
  bytes: z.number(),
});
export type TimelinePoint = Readonly<z.infer<typeof timelinePoint>>;

/** Questions about all restore points, which this computer answers without network. */
export const historyMethods = {
  /**
   * Finds entries by their names, or with a `/` in the pattern by their paths; `*`, `?`, `[a-z]` and `**` make it a glob. A page may have fewer
   * matches than `count`, or none, although `next` says where the next one begins.
   */
  'history.find': method(
    z.object({
      ...reference,
      pattern: z.string().max(1000),
      kind: kind.optional(),
      minimumSize: z.number().optional(),
      maximumSize: z.number().optional(),
      /** Milliseconds since the epoch. */
      modifiedFrom: z.number().optional(),
      modifiedTo: z.number().optional(),
      isDeletedOnly: z.boolean().optional(),
      after: z.int().min(0).optional(),
      count,
    }),
    z.object({ matches: z.array(foundPath), next: z.int().optional(), completeness }),
  ),
  /** Lists the versions of a path, oldest first. */
  'history.versions': method(
    z.object({ ...reference, path: z.string() }),
    z.object({
      /** `points` counts the restore points that have it. */
      versions: z.array(version.extend({ destinations: z.array(destinationId), points: z.int() })),
      completeness,
    }),
  ),
  /**
   * Lists a folder as it was at a time, by the bytes of the names; `after` is the last name of the page before. Fails with `no_restore_point` if none
   * of that time is known here yet: `restore.open` reads it from the destination.
   */
  'history.folder': method(
    z.object({
      ...reference,
      path: z.string(),
      /** ISO 8601 or `latest`. */
      time: z.string(),
      after: z.string().optional(),
      count,
    }),
    z.object({
      entries: z.array(version.extend({ path: z.string() })),
      next: z.string().optional(),
      /** The restore point that is listed, ISO 8601, and its destination. */
      restorePoint: z.string(),
      destination: destinationId,
    }),
  ),
  /** Lists what changed between two times, by default from the restore point before the later one. Fails as `history.folder`. */
  'history.changes': method(
    z.object({
      ...reference,
      from: z.string().optional(),
      to: z.string(),
      after: z.int().min(0).optional(),
      count,
    }),
    z.object({
      changes: z.array(z.object({ path: z.string(), before: version.optional(), after: version.optional() })),
      next: z.int().optional(),
      /** The restore points that are compared, ISO 8601, and their destination. */
      from: z.string(),
      to: z.string(),
      destination: destinationId,
    }),
  ),
  /**
   * Lists the changes between two times in one folder, folders first, with the sums of what is below them; `''` is the top. By default it compares
   * with the restore point before the later one; without entries if that is the first. Fails as `history.folder`.
   */
  'history.changed-folder': method(
    z.object({
      ...reference,
      from: z.string().optional(),
      to: z.string(),
      folder: z.string(),
      first: z.int().min(0),
      count,
    }),
    z.object({
      entries: z.array(changedEntry),
      /** Entries of the folder. */
      total: z.int(),
      /** Of all changes. */
      sums: changeSums,
      /** Not all changes are listed, although all are counted. */
      isCut: z.boolean(),
      /** The restore points that are compared, ISO 8601; `from` is missing if the later one is the first. */
      from: z.string().optional(),
      to: z.string(),
      destination: destinationId,
    }),
  ),
  /** Counts what changed in a folder, at any depth, in each of the newest restore points, oldest first; `''` is everything. */
  'history.timeline': method(
    z.object({ ...reference, path: z.string(), count }),
    z.object({ points: z.array(timelinePoint) }),
  ),
  /** Lists what existed in a folder before a time and not at that time, each entry as it was last. */
  'history.gone': method(
    z.object({ ...reference, path: z.string(), time: z.string(), count }),
    z.object({ entries: z.array(version.extend({ path: z.string() })) }),
  ),
} as const;
