import { z } from 'zod';
import type { Failure } from '../errors/failure.ts';

const plainValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.undefined()]);
const plainFailure = z.object({
  code: z.string(),
  details: z.record(z.string(), plainValue),
  retryable: z.literal(true).optional(),
});

/** Checks the form only: both ends are of one build, so the compiler has checked the details against the code. */
export const failure = z.custom<Failure>((value) => plainFailure.safeParse(value).success);

/** The reply to a call over a process border, which errors do not cross as errors. */
export const answer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({ ok: z.literal(false), failure }),
]);
export type Answer = Readonly<z.infer<typeof answer>>;
