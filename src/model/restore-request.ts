import { z } from 'zod';

const restoreTime = z.union([z.number(), z.literal('latest')]);
/** A time, whose restore point is the newest one until then, or the newest of all. Milliseconds since the epoch. */
export type RestoreTime = z.infer<typeof restoreTime>;

/** A device's backup set as it stood at a time, as a destination names them. */
export interface RestoreSource {
  readonly deviceId: string;
  readonly backupSet: string;
  readonly at: RestoreTime;
}

export const conflictChoice = z.enum(['skip', 'overwrite', 'keep-both']);
export type ConflictChoice = z.infer<typeof conflictChoice>;

/** Choices of their own at most: the others follow a folder or the choice for all. */
export const MAX_CHOICES = 10_000;

const pathChoice = z.object({
  /** Entry path of a file, or of a folder with everything in it. */
  path: z.string(),
  choice: conflictChoice,
});
/** What happens to existing files at one path; the deepest path decides. */
export type PathChoice = Readonly<z.infer<typeof pathChoice>>;

/** What is restored, where to, and what happens to what is there. From the click or the command to the journal it stays the same. */
export const restoreRequest = z.object({
  /** The name of a set. One of another program may be longer than those of Holdfast. */
  set: z.string().min(1),
  /** The id of the device whose set it is. This computer by default. */
  device: z.string().optional(),
  /** The id of the destination that is read. The nearest with the restore point by default. */
  destination: z.string().optional(),
  at: restoreTime,
  /** Entry paths of files or folders; an empty list means every root of the set. */
  paths: z.array(z.string()).readonly(),
  /** Entry paths that are left out with everything below them; a path of `paths` inside one of them is restored. */
  without: z.array(z.string()).readonly().optional(),
  /**
   * A path of this operating system: each root (or path) P goes to DIR/<P's own name>. `null` puts each back where it was; what exists there
   * with other content is moved to a folder beside it before it is replaced.
   */
  to: z.string().min(1).nullable(),
  /** Without it, a restore that would overwrite anything throws `target_conflict` before it writes. */
  conflict: conflictChoice.optional(),
  /** Exceptions from `conflict`. Not with `exact`. */
  choices: z.array(pathChoice).max(MAX_CHOICES).readonly().optional(),
  /** With `to: null`: moves what did not exist at that time to a folder beside. Replaces what has changed. */
  exact: z.boolean().optional(),
  /** Restores what the service lists if no tree can be read that proves it. Nothing that exists is replaced then. */
  acceptUnverified: z.boolean().optional(),
});
export type RestoreRequest = Readonly<z.infer<typeof restoreRequest>>;

/** Entries of a restore point, as restores and archives select them. */
export const entrySelection = restoreRequest.pick({
  set: true,
  device: true,
  destination: true,
  at: true,
  paths: true,
  without: true,
});
export type EntrySelection = Readonly<z.infer<typeof entrySelection>>;
