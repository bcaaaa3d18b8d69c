import { z } from 'zod';
import { answer } from '../base/calls/answer.ts';
import { appState } from './state.ts';

/** What a person is told of by the system, though no window may be open. */
export const notice = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('backup-failed'), set: z.string(), code: z.string() }),
  z.object({ kind: z.literal('no-backup-for'), set: z.string(), days: z.int() }),
  z.object({ kind: z.literal('restored'), set: z.string(), files: z.int(), failures: z.int() }),
  /** Nothing of it is back. */
  z.object({ kind: z.literal('restore-failed'), set: z.string(), code: z.string() }),
  z.object({ kind: z.literal('verification-failed'), set: z.string() }),
  /** A run looked like ransomware at work; without `set`, none of this computer's. */
  z.object({ kind: z.literal('suspicious-run'), set: z.string().optional() }),
]);
export type Notice = Readonly<z.infer<typeof notice>>;

/** From the main process to the agent. */
export const toAgent = z.object({ kind: z.literal('call'), id: z.int(), method: z.string(), input: z.unknown() });
export type ToAgent = Readonly<z.infer<typeof toAgent>>;

/** From the agent to the main process. */
export const fromAgent = z.discriminatedUnion('kind', [
  /** It listens from now on. */
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('answer'), id: z.int(), answer }),
  z.object({ kind: z.literal('state'), state: appState }),
  z.object({ kind: z.literal('notice'), notice }),
  /** An address that only a browser can go on with: the identity provider's. */
  z.object({ kind: z.literal('browse'), url: z.url() }),
]);
export type FromAgent = Readonly<z.infer<typeof fromAgent>>;
