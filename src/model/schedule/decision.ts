import { z } from 'zod';
import { failure } from '../../base/calls/answer.ts';
import { trigger } from '../run.ts';

/** Milliseconds since the epoch. */
const time = z.number();

/** The reason why something due is waiting. */
export const waitReason = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('battery'), percent: z.number().optional(), atLeast: z.number().optional() }),
  z.object({ kind: z.literal('metered') }),
  z.object({ kind: z.literal('network'), name: z.string().optional() }),
  z.object({ kind: z.literal('paused'), until: time.optional() }),
  /** `set` is empty while a destination is checked or repaired. */
  z.object({ kind: z.literal('other-run'), set: z.string().max(100) }),
  z.object({ kind: z.literal('busy'), holder: z.string().optional() }),
  z.object({ kind: z.literal('destination'), location: z.string() }),
  z.object({ kind: z.literal('retry'), at: time, failure }),
]);
export type WaitReason = Readonly<z.infer<typeof waitReason>>;

/** The schedule's current decision on a set. */
export const decision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('manual') }),
  z.object({ kind: z.literal('next'), at: time }),
  /** On change: nothing has changed since the last run. `isPartial`: too much is watched, so some changes go unnoticed. */
  z.object({ kind: z.literal('watching'), isPartial: z.boolean() }),
  /** On change: files have changed, and the run waits until changes cease. */
  z.object({ kind: z.literal('quiet'), until: time }),
  z.object({ kind: z.literal('waiting'), since: time, reason: waitReason }),
  z.object({ kind: z.literal('running'), since: time, trigger }),
]);
export type Decision = Readonly<z.infer<typeof decision>>;

/** The reason why a run was more than a minute late. */
export const lateBy = z.enum(['asleep', 'off', 'waited', 'busy']);
export type LateBy = z.infer<typeof lateBy>;

/** The last due time, and its run. */
export const lastMoment = z.object({
  dueAt: time,
  ranAt: time,
  lateBy: lateBy.optional(),
  waitedFor: waitReason.optional(),
});
export type LastMoment = Readonly<z.infer<typeof lastMoment>>;
