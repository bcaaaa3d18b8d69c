import { z } from 'zod';
import { failure } from '../base/calls/answer.ts';
import { appState } from './state.ts';

/** A notification of the system, shown whether or not a window is open. */
export const notice = z.discriminatedUnion('kind', [
  /** `destinations`: the names of those where it failed; missing if it failed altogether. */
  z.object({
    kind: z.literal('backup-failed'),
    set: z.string(),
    failure,
    destinations: z.array(z.string()).optional(),
  }),
  /** `destination`: its name; missing if there is none of the set anywhere. */
  z.object({ kind: z.literal('no-backup-for'), set: z.string(), days: z.int(), destination: z.string().optional() }),
  z.object({ kind: z.literal('restored'), set: z.string(), files: z.int(), failures: z.int() }),
  /** A restore that failed before it restored any file. */
  z.object({ kind: z.literal('restore-failed'), set: z.string(), failure: failure.optional() }),
  z.object({ kind: z.literal('verification-failed'), set: z.string() }),
  /** A run looked like ransomware at work; `set` is missing if it was not of this computer. */
  z.object({ kind: z.literal('suspicious-run'), set: z.string().optional() }),
]);
export type Notice = Readonly<z.infer<typeof notice>>;

/** The events that the agent sends to the main process, by name. */
export const agentEvents = {
  /** The agent accepts calls from now on. */
  ready: z.object({}),
  state: appState,
  notice,
  /** A report by mail is due: the main process writes and sends it (`report.send`). */
  reportDue: z.object({}),
  /** An address that only a browser can open: the identity provider's. */
  browse: z.url(),
} as const;
export type AgentEvents = { readonly [Name in keyof typeof agentEvents]: z.infer<(typeof agentEvents)[Name]> };
