import { z } from 'zod';

const names = z.array(z.string().min(1)).max(4096);

const form = z.object({
  version: z.literal(1),
  /** Hex: `restoreIdOf` what it does. A later run of the same restore continues it. */
  id: z.string().regex(/^[0-9a-f]{16}$/),
  deviceId: z.string().max(200),
  backupSet: z.string().max(200),
  restorePoint: z.string().max(100),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  /** When it was continued last. */
  continuedAt: z.number().optional(),
  /** Set when a run has ended by itself. */
  endedAt: z.number().optional(),
  /** True if nothing is left for a later run. */
  isComplete: z.boolean().optional(),
  /** Number of changes when it began, and when it ended. */
  changes: z.int().min(0).optional(),
  /** The folder that has everything, a real path; `deepest` is what existed of it. */
  target: z.string().min(1),
  deepest: z.string().min(1),
  bases: z.array(z.object({ folder: names, name: z.string() })).max(100_000),
  /** The side folder of the undo, from its first start on; and when it was complete. */
  undo: z.object({ startedAt: z.number(), endedAt: z.number().optional() }).optional(),
});
/** A restore, as far as it has to be known for continuing or undoing it. */
export type RecordedRestore = Readonly<z.infer<typeof form>>;

const attributesForm = z.object({
  mode: z.int().min(0).max(0o7777),
  seconds: z.int().nullable(),
  nanoseconds: z.int().min(0).max(999_999_999),
  owner: z.object({ uid: z.int().min(0), gid: z.int().min(0) }).nullable(),
  xattrs: z.string().nullable(),
  /** Identifies a file with several names, all of which were restored. */
  file: z.string().max(100).optional(),
});

const asidesForm = z.array(z.string().min(1)).max(1000);

const rowForm = z.object({
  id: z.int(),
  location: z.string().min(1),
  /** 1 if the restore makes something there. */
  made: z.union([z.literal(0), z.literal(1)]),
  /** 1 if something was there when the restore was planned. */
  existed: z.union([z.literal(0), z.literal(1)]),
  type: z.enum(['file', 'directory', 'symlink']).nullable(),
  size: z.number().nullable(),
  mode: z.int().nullable(),
  seconds: z.number().nullable(),
  nanoseconds: z.number().nullable(),
  target: z.string().nullable(),
  /** Where the versions before are, as paths below the target folder, newest first: a continued restore may keep another one. */
  asides: z.string().transform((text) => asidesForm.parse(JSON.parse(text))),
  attributes: z
    .string()
    .transform((text) => attributesForm.parse(JSON.parse(text)))
    .nullable(),
  /** 1 while it is being undone, 2 when it has been. */
  state: z.union([z.literal(0), z.literal(1), z.literal(2)]),
});
export type RecordedChange = Readonly<z.infer<typeof rowForm>>;

/** Parses the record of a restore. @throws for any other text */
export function restoreOf(text: string): RecordedRestore {
  return form.parse(JSON.parse(text));
}

/** Returns `undefined` for what is not a change. */
export function changeOf(row: object): RecordedChange | undefined {
  try {
    return rowForm.parse(row);
  } catch {
    return undefined;
  }
}
