import { createHash, randomBytes } from 'node:crypto';
import { ACCOUNT_ENDPOINTS } from '../../protocol/accounts.ts';
import type { MfaChallenge, UserSession } from '../../protocol/auth.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { challengeAnswer } from '../client/answers.ts';
import { jsonResponse } from '../client/responses.ts';
import type { ServiceCalls } from '../client/service-calls.ts';
import { verifyCode } from './sign-in.ts';

/** A sign-in through an identity provider, to be made in a browser. */
export interface ProviderAttempt {
  /** Address for the browser to open. */
  readonly address: string;
  /** Proves that the sign-in is completed by the program that began it (RFC 7636). */
  readonly verifier: string;
}

/** @param redirect address of this computer that the browser returns to (RFC 8252, section 7.3) */
export function beginProviderSignIn(
  { baseUrl }: Pick<ServiceCalls, 'baseUrl'>,
  provider: string,
  redirect: string,
): ProviderAttempt {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    provider,
    redirect_to: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 's256',
  });
  return { address: `${baseUrl}${ACCOUNT_ENDPOINTS.authorize}?${query.toString()}`, verifier };
}

/**
 * Exchanges the browser's result and a code of the second factor for a session.
 *
 * @param askCode asks the person for the code of the named authenticator app
 * @throws HoldfastError errors of `redeemProviderCode` and `verifyCode`
 */
export async function finishProviderSignIn(
  calls: ServiceCalls,
  returned: ProviderReturn,
  askCode: (factor: string) => Promise<string>,
  signal?: AbortSignal,
): Promise<UserSession> {
  return verifyCode(calls, await redeemProviderCode(calls, returned, signal), askCode, signal);
}

/** The browser's result, and the verifier of its attempt. */
export interface ProviderReturn {
  readonly code: string;
  readonly verifier: string;
}

/**
 * Exchanges the browser's result for a challenge.
 *
 * @throws HoldfastError `provider_refused`; `usage` (`factor-missing`) if the person has no second factor yet
 */
export async function redeemProviderCode(
  calls: ServiceCalls,
  returned: ProviderReturn,
  signal?: AbortSignal,
): Promise<MfaChallenge> {
  const challenge = await calls.call({
    method: 'POST',
    path: `${ENDPOINTS.token}?grant_type=pkce`,
    json: () => ({ auth_code: returned.code, code_verifier: returned.verifier }),
    isSignIn: true,
    signal,
    read: jsonResponse(challengeAnswer),
    errorFor: ({ status, address, detail }) =>
      [400, 401, 403, 404, 422].includes(status)
        ? new HoldfastError('provider_refused', { address, status, detail })
        : undefined,
  });
  if (challenge.factors.length === 0) {
    throw new HoldfastError('usage', { problem: 'factor-missing', address: calls.baseUrl });
  }
  return challenge;
}
