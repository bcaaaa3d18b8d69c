import { createHash } from 'node:crypto';
import type { ServiceContext } from '../context.ts';
import { DAY, HOUR } from '../../model/units.ts';

/** Invitations that one account mails to one address in an hour. */
const HOURLY_OF_ADDRESS = 1;

/** Invitations that all accounts together mail to one address in a day. */
const DAILY_TO_ADDRESS = 3;

/** Invitations that one account mails in an hour, to anybody. */
const HOURLY_OF_ACCOUNT = 30;

/**
 * Counts an invitation that is about to be mailed, and returns whether it may be. Anybody may open an account at some services, and
 * invite strangers. Addresses are counted by their hash, since they may be of people who never have anything to do with the service.
 */
export async function mayMailInvitation(
  { metadata, clock }: Pick<ServiceContext, 'metadata' | 'clock'>,
  accountId: string,
  email: string,
): Promise<boolean> {
  const now = clock.now();
  const address = createHash('sha256').update(email.toLowerCase()).digest('hex');
  const [hour, day] = [Math.floor(now / HOUR), Math.floor(now / DAY)];
  const limits = [
    [`invitation:${accountId}:${address}:${hour}`, HOURLY_OF_ADDRESS],
    [`invitation:${address}:${day}`, DAILY_TO_ADDRESS],
    [`invitation:${accountId}:${hour}`, HOURLY_OF_ACCOUNT],
  ] as const;
  for (const [subject, most] of limits) {
    let count = 0;
    await metadata.tokens.fail(subject, now, (counted) => {
      count = counted;
      return 0;
    });
    if (count > most) return false;
  }
  return true;
}
