import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';

/** Milliseconds since the epoch. */
const time = z.number();
const version = z.string().max(40);

/**
 * `network`: the server cannot be reached. `signature`, `metadata`: what it sent is not from the makers of Holdfast. `damaged`: the downloaded file
 * is not the announced one. `install`: the system did not let the program replace itself.
 */
export const updateProblem = z.enum(['network', 'signature', 'metadata', 'damaged', 'install']);
export type UpdateProblemKind = z.infer<typeof updateProblem>;

/** How the program is updated, and how far that is. */
export const updateState = z.discriminatedUnion('kind', [
  /** This build looks for no updates, like any from a checkout. */
  z.object({ kind: z.literal('none') }),
  /** The system's package manager does it. */
  z.object({ kind: z.literal('package-manager') }),
  z.object({ kind: z.literal('off'), by: z.enum(['person', 'administrator']) }),
  /** There is no newer version; `checkedAt` is missing before the first check. */
  z.object({ kind: z.literal('current'), checkedAt: time.optional() }),
  z.object({ kind: z.literal('checking') }),
  /** There is a newer version, which the person downloads: this program was unpacked from an archive. */
  z.object({ kind: z.literal('offered'), version }),
  /** There is a newer version, which needs a newer operating system than this computer's. */
  z.object({ kind: z.literal('system-too-old'), version }),
  z.object({ kind: z.literal('downloading'), version, percent: z.int().min(0).max(100) }),
  /** The newer version is here, and is installed when no run is active. */
  z.object({ kind: z.literal('ready'), version }),
  z.object({ kind: z.literal('failed'), problem: updateProblem, at: time }),
  /** A package manager has replaced the program: the next start is the new version. */
  z.object({ kind: z.literal('replaced') }),
]);
export type UpdateState = Readonly<z.infer<typeof updateState>>;

/** Calls of the main process. */
export const updateMethods = {
  /** Looks for an update now. Does nothing during a run. */
  'update.check': method(z.object({}), z.object({})),
  /** Ends the program, and starts the new version. `isStarted` is false during a run, which goes on. */
  'update.install': method(z.object({}), z.object({ isStarted: z.boolean() })),
  /** Returns the changes, newest first, as Markdown: of the newer version, if there is one, and of this one. */
  'update.news': method(z.object({}), z.object({ newer: z.string().optional(), current: z.string() })),
} as const;

/** Methods of the agent for the main process. */
export const privateUpdateMethods = {
  /** Ends the agent's work if no run is active, here or in another process; no run begins any more then. */
  'update.prepare': method(z.object({}), z.object({ isReady: z.boolean() })),
} as const;
