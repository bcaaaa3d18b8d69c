import { z } from 'zod';

/** A command as people write it: a line for the shell, or a list in JSON of a program and its arguments. */
export const hookText = z.object({
  line: z.string().max(20_000),
  timeoutSeconds: z.int().min(1).max(86_400).optional(),
});
export type HookText = Readonly<z.infer<typeof hookText>>;

/** How a command before or after a backup ended. */
export const commandResult = z.object({
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  seconds: z.number(),
  /** `exited` with its code; `timeout`: it was ended; `not-started`: there is no such program, or it cannot be executed. */
  end: z.enum(['exited', 'killed', 'timeout', 'stopped', 'not-started']),
  exitCode: z.int().optional(),
  /** What it wrote, in order: the beginning and the end if it is long. */
  output: z.string().max(70_000),
});
export type CommandResult = Readonly<z.infer<typeof commandResult>>;

/** How a ping ended. */
export const pingResult = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  isDelivered: z.boolean(),
  attempts: z.int(),
  /** The HTTP status of the last attempt that got an answer. */
  status: z.int().optional(),
});
export type PingResult = Readonly<z.infer<typeof pingResult>>;

/** The last of each kind. A missing one has not happened yet. */
export const hookResults = z.object({
  before: commandResult.optional(),
  after: commandResult.optional(),
  start: pingResult.optional(),
  success: pingResult.optional(),
  fail: pingResult.optional(),
});
export type HookResults = Readonly<z.infer<typeof hookResults>>;

/** The commands before and after the backups of a set. */
export const hookTexts = z.object({ before: hookText.optional(), after: hookText.optional() });
export type HookTexts = Readonly<z.infer<typeof hookTexts>>;
