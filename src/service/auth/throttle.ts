import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../problem.ts';

/** Wrong guesses in a row that have no consequence. */
const FREE_GUESSES = 5;
const FIRST_DELAY = 15_000;
const LONGEST_DELAY = 15 * 60_000;

/** For how many milliseconds to refuse further guesses after so many wrong ones in a row. */
export function guessDelay(failures: number): number {
  if (failures < FREE_GUESSES) return 0;
  return Math.min(FIRST_DELAY * 2 ** (failures - FREE_GUESSES), LONGEST_DELAY);
}

/**
 * Lets a guess at `subject` happen, or refuses it (429). Each guess counts as wrong from its start, so that many at once
 * are no way around; `guess` says whether it was right.
 */
export async function throttled<Result>(
  { metadata: { tokens }, clock }: Pick<ServiceContext, 'metadata' | 'clock'>,
  subject: string,
  guess: () => Promise<Result>,
): Promise<Result> {
  const wait = (await tokens.blockedUntil(subject)) - clock.now();
  if (wait > 0) throw new ServiceProblem('too_many_requests', { retryAfter: Math.ceil(wait / 1000) });
  await tokens.fail(subject, clock.now(), guessDelay);
  const result = await guess();
  await tokens.succeed(subject);
  return result;
}
