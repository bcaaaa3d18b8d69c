import type { ServiceContext } from '../context.ts';
import { limitedNetwork } from '../request/client-address.ts';
import { currentRequest } from '../request/request-scope.ts';
import { ServiceProblem } from '../request/problem.ts';
import { HOUR, MINUTE } from '../../model/units.ts';

/** Consecutive wrong guesses without a consequence. */
const FREE_GUESSES = 5;
/** Per address and hour: a whole office may share an address. */
const FREE_GUESSES_OF_ADDRESS = 30;
const FIRST_DELAY = 15_000;
const LONGEST_DELAY = 15 * MINUTE;

/** Returns the milliseconds for which further guesses are rejected after that many wrong ones. */
export function guessDelay(failures: number, free = FREE_GUESSES): number {
  if (failures < free) return 0;
  return Math.min(FIRST_DELAY * 2 ** (failures - free), LONGEST_DELAY);
}

/**
 * Permits a guess at `subject`, or rejects it (429). Each guess counts as wrong from its start, so that parallel guesses
 * gain nothing; `guess` returns whether it was right. Wrong ones also count against the client's address, for any subject,
 * and a right one does not reset that count: an attacker may own one account.
 */
export async function throttled<Result>(
  context: Pick<ServiceContext, 'metadata' | 'clock'>,
  subject: string,
  guess: () => Promise<Result>,
): Promise<Result> {
  const { tokens } = context.metadata;
  return throttledByAddress(context, async () => {
    await refuseBlocked(context, subject);
    await tokens.fail(subject, context.clock.now(), guessDelay);
    const result = await guess();
    await tokens.succeed(subject);
    return result;
  });
}

/**
 * Permits a guess unless too many from the client's address were wrong (429).
 *
 * @param wrong the status with which `guess` rejects a wrong one
 */
export async function throttledByAddress<Result>(
  context: Pick<ServiceContext, 'metadata' | 'clock'>,
  guess: () => Promise<Result>,
  wrong = 401,
): Promise<Result> {
  const { tokens } = context.metadata;
  const network = networkNow(context);
  if (network !== undefined) await refuseBlocked(context, network);
  try {
    return await guess();
  } catch (error) {
    if (network !== undefined && error instanceof ServiceProblem && error.status === wrong) {
      await tokens.fail(network, context.clock.now(), (failures) => guessDelay(failures, FREE_GUESSES_OF_ADDRESS));
    }
    throw error;
  }
}

async function refuseBlocked({ metadata, clock }: Pick<ServiceContext, 'metadata' | 'clock'>, subject: string) {
  const wait = (await metadata.tokens.blockedUntil(subject)) - clock.now();
  if (wait > 0) throw new ServiceProblem('too_many_requests', { retryAfter: Math.ceil(wait / 1000) });
}

/** The hour is part of the key, so that an address starts again with the next hour. */
function networkNow({ clock }: Pick<ServiceContext, 'clock'>): string | undefined {
  const address = currentRequest()?.address;
  if (address === undefined) return undefined;
  return `network:${limitedNetwork(address)}:${Math.floor(clock.now() / HOUR)}`;
}
