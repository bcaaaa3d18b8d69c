import type { MfaChallenge, PasswordGrantRequest, UserSession } from '../../protocol/auth.ts';
import type { ServiceContext } from '../context.ts';
import { newIdentifier } from '../identifier.ts';
import { ServiceProblem } from '../problem.ts';
import type { User } from '../store/metadata-store.ts';
import { ACCESS_LIFETIME } from './access-tokens.ts';
import type { AccessTokens } from './access-tokens.ts';
import { verifyPassword } from './password.ts';
import { newRefreshToken } from './refresh.ts';
import { throttled } from './throttle.ts';
import { totpStep } from './totp.ts';

/** A right password alone gives no access, only the way to the second factor. */
export async function passwordGrant(
  context: ServiceContext,
  tokens: AccessTokens,
  { email, password }: PasswordGrantRequest,
): Promise<MfaChallenge> {
  const { accounts } = context.metadata;
  const user = await throttled(context, `password:${email.toLowerCase()}`, async () => {
    const candidate = await accounts.userByEmail(email);
    if (await verifyPassword(password, candidate?.passwordHash)) return candidate!;
    throw new ServiceProblem('credentials_invalid');
  });
  const factors = await accounts.factorsOf(user.id);
  return {
    mfa_required: true,
    mfa_token: await tokens.issueMfa(user.id, context.clock.now()),
    factors: factors.map(({ id, type, friendlyName }) => ({ id, type, friendly_name: friendlyName })),
  };
}

/** The second factor: a TOTP code, good once, with a token of the password grant that is good once. */
export async function verifyFactor(
  context: ServiceContext,
  tokens: AccessTokens,
  request: { readonly mfaToken: string; readonly factorId: string; readonly code: string },
): Promise<UserSession> {
  const { accounts, tokens: tokenStore } = context.metadata;
  const now = context.clock.now();
  const claims = await tokens.verifyMfa(request.mfaToken, now);
  const factor = await accounts.factor(request.factorId);
  if (!factor || factor.userId !== claims.sub) throw new ServiceProblem('not_found', { detail: 'no such factor' });
  await throttled(context, `code:${claims.sub}`, async () => {
    const step = totpStep(factor.secret, request.code, now);
    const fresh = step !== undefined && (await accounts.useStep(factor.id, step));
    if (!fresh) throw new ServiceProblem('code_invalid');
  });
  if (!(await tokenStore.spend(`mfa:${claims.jti}`, claims.exp * 1000))) throw new ServiceProblem('token_invalid');
  const user = await accounts.user(claims.sub);
  if (!user) throw new ServiceProblem('token_invalid');
  return startSession(context, tokens, user);
}

async function startSession(context: ServiceContext, tokens: AccessTokens, user: User): Promise<UserSession> {
  const now = context.clock.now();
  const family = newIdentifier('fam');
  const refresh = newRefreshToken(now);
  await context.metadata.tokens.startFamily({ id: family, userId: user.id }, refresh.stored, now);
  const claims = { kind: 'user', sub: user.id, account: user.accountId, family } as const;
  return {
    access_token: await tokens.issue(claims, now),
    refresh_token: refresh.token,
    token_type: 'bearer',
    expires_in: ACCESS_LIFETIME,
    user: { id: user.id, email: user.email, role: user.role },
  };
}
