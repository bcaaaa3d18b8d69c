import { z } from 'zod';
import { mfaChallenge, userSession } from '../../../protocol/auth.ts';
import type { MfaChallenge, UserSession } from '../../../protocol/auth.ts';
import { ENDPOINTS } from '../../../protocol/endpoints.ts';
import { HoldfastError } from '../../../base/errors.ts';
import { brokenResponse, jsonResponse } from '../client/responses.ts';
import { isHtml } from '../client/error-response.ts';
import type { ErrorResponse } from '../client/error-response.ts';
import type { ServiceCalls } from '../client/service-calls.ts';

export interface UserCredentials {
  readonly email: string;
  readonly password: string;
  /** What the authenticator app shows now. */
  readonly code: string | undefined;
}

/**
 * E-mail, password and TOTP code for a session. Throws `password_wrong`, `code_needed` (where there is no code),
 * `code_wrong`, and `service_busy` where too many guesses have locked the account for a while.
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
 * E-mail and password for the way to the second factor, or for a session where the service asks for none. Throws
 * `password_wrong` and `service_busy`.
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
    signal,
    read: jsonResponse(z.union([mfaChallenge, userSession])),
    errorFor: (refusal) => (isWrongSecret(refusal) ? refused('password_wrong', refusal, { email }) : undefined),
  });
}

/** A code for a session. Throws `code_needed` where there is none, and what `verifyFactor` throws. */
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
 * A code of a certain factor for a session. Throws `code_wrong`, after which another code can be tried, and `signed_out`
 * where the service says that the time for it is over.
 */
export function verifyFactor(
  calls: ServiceCalls,
  given: {
    /** The challenge's. */
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
      signal,
      read: jsonResponse(userSession),
      errorFor: (refusal) => {
        if (refusal.code === 'token_invalid') return refused('signed_out', refusal, { email });
        return isWrongSecret(refusal) ? refused('code_wrong', refusal, { email }) : undefined;
      },
    },
    given.token,
  );
}

function totpFactorOf(challenge: MfaChallenge, address: string): MfaChallenge['factors'][number] {
  const factor = challenge.factors.find(({ type }) => type === 'totp');
  if (!factor) throw brokenResponse(address, { field: 'factors', detail: 'none of type totp' });
  return factor;
}

/** Services differ in what they call it. A web site is none. */
function isWrongSecret(refusal: ErrorResponse): boolean {
  return !isHtml(refusal) && [400, 401, 403, 422].includes(refusal.status);
}

function refused(
  code: 'password_wrong' | 'code_wrong' | 'signed_out',
  refusal: ErrorResponse,
  details: { readonly email: string | undefined },
): HoldfastError {
  return new HoldfastError(code, {
    ...details,
    address: refusal.address,
    status: refusal.status,
    detail: refusal.detail,
  });
}
