import { z } from 'zod';

/** An entry whose name the target does not take, or takes for that of another entry. */
export const nameProblem = z.object({
  path: z.string(),
  kind: z.enum(['invalid', 'too-long', 'same-name']),
  becomes: z.enum(['not-restored', 'beside', 'merged']),
  /** The name beside. */
  as: z.string().optional(),
});
export type NameProblem = Readonly<z.infer<typeof nameProblem>>;

/** What is at a path of this computer now. */
export const fileOnDisk = z.object({
  path: z.string(),
  kind: z.enum(['file', 'directory', 'other']),
  /** Missing if it does not respond. */
  size: z.number().optional(),
  /** ISO 8601. */
  modified: z.string().optional(),
});
export type FileOnDisk = Readonly<z.infer<typeof fileOnDisk>>;
