import { timingSafeEqual } from 'node:crypto';
import type { SignInChallenge } from '../../protocol/accounts.ts';
import type { SetUpRequest } from '../../protocol/portal/portal.ts';
import type { AccessTokens } from '../auth/tokens/access-tokens.ts';
import { hashPassword } from '../auth/passwords/password.ts';
import { challengeOf } from '../auth/sign-in.ts';
import { throttled } from '../auth/throttle.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';

/** 120 bits, the same in every process of a service. */
const TOKEN_BYTES = 15;

/** Returns the token for setting up a service without an account, or `undefined` if there is one. */
export async function setUpToken({ metadata }: Pick<ServiceContext, 'metadata'>): Promise<string | undefined> {
  if (await metadata.accounts.hasAccount()) return undefined;
  return (await metadata.secret('set-up', TOKEN_BYTES)).toString('base64url');
}

/**
 * Creates the first account with its owner; the response leads to a second factor. Afterwards the token is invalid.
 *
 * @throws ServiceProblem `credentials_invalid`, `conflict` if an account exists, `too_many_requests`
 */
export async function setUp(
  context: ServiceContext,
  tokens: AccessTokens,
  request: SetUpRequest,
): Promise<SignInChallenge> {
  await throttled(context, 'set-up', async () => {
    const expected = Buffer.from((await setUpToken(context)) ?? '');
    const given = Buffer.from(request.setup_token);
    const isRight = expected.length > 0 && given.length === expected.length && timingSafeEqual(given, expected);
    if (!isRight) throw new ServiceProblem('permission_denied', { detail: 'the set-up token is not right' });
  });
  const passwordHash = await hashPassword(request.password, context.accountSettings.passwordCost);
  const user = await context.metadata.exclusively('set-up', async () => {
    if (await context.metadata.accounts.hasAccount()) return undefined;
    return context.metadata.members.createAccount({ email: request.email, passwordHash, now: context.clock.now() });
  });
  if (!user) throw new ServiceProblem('conflict', { detail: 'this service is set up already' });
  return challengeOf(context, tokens, user);
}
