import { z } from 'zod';

/** A restore point of a set, as lists show it. */
export const restorePoint = z.object({
  /** ISO 8601. The time of the restore point, which also identifies it. */
  restorePoint: z.string(),
  /** When it was made, ISO 8601: earlier than its own time if that follows one from a clock that was ahead. */
  madeAt: z.string(),
  backupId: z.string(),
  /** Missing if only the destination knows them, like `isPinned`. */
  files: z.int().optional(),
  bytes: z.number().optional(),
  isPinned: z.boolean().optional(),
});
export type RestorePoint = Readonly<z.infer<typeof restorePoint>>;
