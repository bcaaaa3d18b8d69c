import type { SignInChallenge } from '../../protocol/accounts.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { AccessTokens } from './tokens/access-tokens.ts';
import { auditEntry } from '../audit/audit.ts';
import { hashPassword, verifyPassword } from './passwords/password.ts';
import { requireUser } from './require-user.ts';
import { challengeOf } from './sign-in.ts';
import { throttled, throttledByAddress } from './throttle.ts';

/**
 * Creates an account with its owner if sign-up is open; the response leads to a second factor. It has to tell that an address is taken,
 * so such answers count as wrong guesses of the client's address.
 */
export async function signUp(
  context: ServiceContext,
  tokens: AccessTokens,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<SignInChallenge> {
  if (!context.accountSettings.signup) {
    throw new ServiceProblem('permission_denied', { detail: 'accounts are made by the operator of this service' });
  }
  const create = async () => {
    const passwordHash = await hashPassword(password, context.accountSettings.passwordCost);
    const user = await context.metadata.members.createAccount({ email, passwordHash, now: context.clock.now() });
    if (user) return user;
    throw new ServiceProblem('conflict', { detail: 'the e-mail address has an account already' });
  };
  const user = await throttledByAddress(context, create, 409);
  return challengeOf(context, tokens, user);
}

/** Ends every other sign-in of the user. Throws `credentials_invalid`. */
export async function changePassword(
  context: ServiceContext,
  caller: Extract<Caller, { kind: 'user' }>,
  { current, next }: { readonly current: string; readonly next: string },
): Promise<void> {
  const { accountId, userId, familyId } = caller;
  const { passwordCost } = context.accountSettings;
  const user = await requireUser(context, userId);
  await throttled(context, `password:${user.email.toLowerCase()}`, async () => {
    if (!(await verifyPassword(current, user.passwordHash, passwordCost)))
      throw new ServiceProblem('credentials_invalid');
  });
  await context.metadata.members.setPassword(userId, await hashPassword(next, passwordCost), {
    keepFamily: familyId,
    now: context.clock.now(),
    audit: auditEntry(context, { accountId, userId, kind: 'password.changed' }),
  });
  context.callers.forgetAll();
}
