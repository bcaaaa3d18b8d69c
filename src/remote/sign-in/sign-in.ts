import { z } from 'zod';
import type { MfaChallenge, UserSession } from '../../protocol/auth.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { challengeAnswer, sessionAnswer } from '../client/answers.ts';
import { brokenResponse, jsonResponse } from '../client/responses.ts';
import { isHtml } from '../client/error-response.ts';
import type { ErrorResponse } from '../client/error-response.ts';
import type { ServiceCalls } from '../client/service-calls.ts';

export interface UserCredentials {
  readonly email: string;
  readonly password: string;
  /** The authenticator app's current code. */
  readonly code: string | undefined;
}

/**
 * Exchanges e-mail, password and TOTP code for a session.
 *
 * @throws HoldfastError `password_wrong`, `code_needed` without a code, `code_wrong`, and `service_busy` while the account is
 *   locked after too many guesses
 */
export async function signIn(
  calls: ServiceCalls,
  credentials: UserCredentials,
  signal?: AbortSignal,
): Promise<UserSession> {
  const { email, code } = credentials;
  const answer = await beginSignIn(calls, credentials, signal);
  if ('access_token' in answer) return answer;
  return verifyCode(calls, answer, async () => code ?? '', signal, email);
}

/**
 * Exchanges e-mail and password for a challenge, or for a session if the service needs no second factor.
 *
 * @throws HoldfastError `password_wrong`, `service_busy`
 */
export function beginSignIn(
  calls: ServiceCalls,
  { email, password }: Pick<UserCredentials, 'email' | 'password'>,
  signal?: AbortSignal,
): Promise<MfaChallenge | UserSession> {
  return calls.call({
    method: 'POST',
    path: `${ENDPOINTS.token}?grant_type=password`,
    json: () => ({ email, password }),
    isSignIn: true,
    signal,
    // A session first: a service may say in it that no second factor is needed.
    read: jsonResponse(z.union([sessionAnswer, challengeAnswer])),
    errorFor: (response) => (isWrongSecret(response) ? rejected('password_wrong', response, { email }) : undefined),
  });
}

/** Answers a challenge with a TOTP code. @throws HoldfastError `code_needed` without a code, and errors of `verifyFactor` */
export async function verifyCode(
  calls: ServiceCalls,
  challenge: MfaChallenge,
  askCode: (factor: string) => Promise<string>,
  signal?: AbortSignal,
  email?: string,
): Promise<UserSession> {
  const factor = totpFactorOf(challenge, calls.baseUrl);
  const code = await askCode(factor.friendly_name);
  if (code === '') throw new HoldfastError('code_needed', { email, factor: factor.friendly_name });
  return verifyFactor(calls, { token: challenge.mfa_token, factorId: factor.id, code, email }, signal);
}

/**
 * Exchanges a code of one factor for a session.
 *
 * @throws HoldfastError `code_wrong`, after which another code may be tried; `signed_out` if the challenge has expired
 */
export function verifyFactor(
  calls: ServiceCalls,
  given: {
    /** The token of the challenge. */
    readonly token: string;
    readonly factorId: string;
    readonly code: string;
    readonly email?: string | undefined;
  },
  signal?: AbortSignal,
): Promise<UserSession> {
  const { factorId, code, email } = given;
  return calls.call(
    {
      method: 'POST',
      path: ENDPOINTS.factorVerify.replace(':factor_id', encodeURIComponent(factorId)),
      json: () => ({ code: code.replaceAll(/\s/g, '') }),
      isSignIn: true,
      signal,
      read: jsonResponse(sessionAnswer),
      errorFor: (response) => {
        if (response.code === 'token_invalid') return rejected('signed_out', response, { email });
        return isWrongSecret(response) ? rejected('code_wrong', response, { email }) : undefined;
      },
    },
    given.token,
  );
}

function totpFactorOf(challenge: MfaChallenge, address: string): MfaChallenge['factors'][number] {
  const factor = challenge.factors.find(({ type }) => type.toLowerCase() === 'totp');
  if (!factor) throw brokenResponse(address, { field: 'factors', detail: 'none of type totp' });
  return factor;
}

/** Services use different statuses for it. HTML comes from something else. */
function isWrongSecret(response: ErrorResponse): boolean {
  return !isHtml(response) && [400, 401, 403, 422].includes(response.status);
}

function rejected(
  code: 'password_wrong' | 'code_wrong' | 'signed_out',
  response: ErrorResponse,
  details: { readonly email: string | undefined },
): HoldfastError {
  return new HoldfastError(code, {
    ...details,
    address: response.address,
    status: response.status,
    detail: response.detail,
  });
}
