import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';

/** What ended without being asked to, or failed by a bug. */
export const crashedPart = z.enum(['window', 'agent', 'program']);
export type CrashedPart = z.infer<typeof crashedPart>;

const id = z.string().regex(/^\d{13}-[0-9a-f]{8}$/);

export const crashReport = z.object({
  id,
  /** Milliseconds since the epoch. */
  at: z.number(),
  part: crashedPart,
  /** As a file would contain it: without names, paths and messages. */
  text: z.string(),
});
export type CrashReport = Readonly<z.infer<typeof crashReport>>;

/** Calls about the crash reports of this computer. Nothing leaves it by itself. */
export const crashMethods = {
  /** Newest first. */
  'crashes.list': method(z.object({}), z.object({ reports: z.array(crashReport) })),
  /** Saves a report where the person chooses; `path` is missing if they cancel. Does nothing if it was deleted. */
  'crashes.save': method(z.object({ id }), z.object({ path: z.string().optional() })),
  'crashes.delete': method(z.object({ id }), z.object({})),
} as const;
