import { z } from 'zod';

/**
 * What went wrong, for whoever shows it: the code picks the sentence, and the details fill it. Codes are those of
 * engine/errors.ts and, of the window's own: `refused` (a sender or a message that is none of ours), `agent_gone` (the
 * process that does the work ended; it is started again), `internal` (a bug).
 */
export const failure = z.object({
  code: z.string(),
  details: z.record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly(), z.undefined()]),
  ),
});
export type Failure = Readonly<z.infer<typeof failure>>;

/** An answer over a process border: errors do not survive the way, so they are values. */
export const answer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({ ok: z.literal(false), failure }),
]);
export type Answer = Readonly<z.infer<typeof answer>>;

/** A failure on its way to who asked. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  readonly failure: Failure;

  constructor(what: Failure) {
    super(what.code);
    this.failure = what;
  }
}
