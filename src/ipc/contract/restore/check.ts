import { z } from 'zod';

/** Files that restore points lack. */
const loss = z.object({
  device: z.string(),
  /** The device's name, if it is known. */
  deviceName: z.string().optional(),
  set: z.string(),
  restorePoint: z.string(),
  /** Missing if the whole restore point is lost. */
  path: z.string().optional(),
  /** Files that are lost from this path on; more than one if their list cannot be read. */
  entries: z.int(),
  /** The lost version of a file, if it is known. */
  version: z.object({ size: z.number(), mtimeNs: z.string() }).optional(),
  /** The file on this computer still has the size and the time of the lost version, so that its next backup stores that again. */
  isHere: z.boolean(),
  /** The file on this computer is another version. */
  isOtherHere: z.boolean(),
});
export type Loss = Readonly<z.infer<typeof loss>>;

const pointOfSet = z.object({
  device: z.string(),
  deviceName: z.string().optional(),
  set: z.string(),
  restorePoint: z.string(),
});

/** What a check of the destination found; after a repair, what remains. */
export const checkResult = z.object({
  restorePoints: z.int(),
  /** Damaged files of the repository. `problem` is a stable word. A repair mends those that `isMendable` marks, by their parity. */
  findings: z.array(z.object({ file: z.string(), problem: z.string(), isMendable: z.boolean().optional() })),
  findingsTotal: z.int(),
  losses: z.array(loss),
  lossesTotal: z.int(),
  /** One that several restore points have in the same version counts once. */
  lostFiles: z.int(),
  /** False if this computer's list of the destination's content was wrong. */
  isListSound: z.boolean(),
  /** True if lists of files stand in one pack instead of two. The next backup and a repair store them once more. */
  isStoredOnce: z.boolean(),
  /** What a repair did. */
  repair: z
    .object({
      /** Damaged files that were found before. */
      found: z.int(),
      /** Files that were moved to the folder `damaged`. */
      moved: z.int(),
      /** Files that have all of their bytes again, by their parity. */
      mended: z.int().optional(),
      /** Files of a bucket that are there again after somebody had deleted or covered them. */
      shown: z.int().optional(),
      recovered: z.array(pointOfSet),
      lost: z.array(pointOfSet),
      /** Points that were removed may be among the recovered ones. */
      mayIncludeRemoved: z.boolean(),
    })
    .optional(),
});
export type CheckResult = Readonly<z.infer<typeof checkResult>>;
