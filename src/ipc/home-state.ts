import { z } from 'zod';
import { setName } from '../model/set.ts';

/** Restore points that are open as a read-only file system. */
export const mountState = z.object({
  id: z.int(),
  set: setName,
  /** Absolute. It has a folder for each restore point. */
  folder: z.string(),
  /** Milliseconds since the epoch. */
  since: z.number(),
  isEnding: z.boolean(),
  /** It was asked to end while a program used it. */
  isBusy: z.boolean(),
});
export type MountState = Readonly<z.infer<typeof mountState>>;

/** A day of the strip. */
export const dayState = z.object({
  /** `2026-11-21`, of this computer's calendar. */
  date: z.string(),
  outcome: z.enum(['none', 'succeeded', 'warnings', 'failed']),
  runs: z.int(),
  /** Bytes that the backups of the day sent, to all destinations. */
  bytes: z.number().optional(),
});
export type DayState = Readonly<z.infer<typeof dayState>>;

/** The reason why the agent does not start: it ends each time, or stays silent. */
export const agentTrouble = z.object({
  problem: z.enum(['ends', 'silent']),
  /** The last lines of its error output. */
  lines: z.array(z.string()),
});
export type AgentTrouble = Readonly<z.infer<typeof agentTrouble>>;
