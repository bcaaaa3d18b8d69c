import type { UserSession } from '../../protocol/auth.ts';
import type { PasskeyAssertion, PasskeyOptions } from '../../protocol/portal/passkeys.ts';
import type { ServiceContext } from '../context.ts';
import { passkeyToUse, usePasskey } from './factors/passkeys.ts';
import { finishSignIn, type MfaRequest, signingIn } from './sign-in.ts';
import type { AccessTokens } from './tokens/access-tokens.ts';

/** Asks for the signature of a passkey, with the token of the password grant. */
export async function passkeyOfSignIn(
  context: ServiceContext,
  tokens: AccessTokens,
  mfaToken: string,
): Promise<PasskeyOptions> {
  const { user, tokenId } = await signingIn(context, tokens, mfaToken);
  return passkeyToUse(context, user.id, { kind: 'sign-in', tokenId });
}

/** Verifies a passkey in place of a code. @throws ServiceProblem `passkey_invalid`, `token_invalid` */
export async function verifyPasskey(
  context: ServiceContext,
  tokens: AccessTokens,
  { credential, ...request }: MfaRequest & { readonly credential: PasskeyAssertion },
): Promise<UserSession> {
  return finishSignIn(context, tokens, request, (user, tokenId) =>
    usePasskey(context, user, { kind: 'sign-in', tokenId }, credential),
  );
}
