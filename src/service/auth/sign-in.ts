import type { SignInChallenge } from '../../protocol/accounts.ts';
import type { PasswordGrantRequest, UserSession } from '../../protocol/auth.ts';
import type { ServiceContext } from '../context.ts';
import { newIdentifier } from '../identifier.ts';
import { failureFacts } from '../failure-facts.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { ProviderIdentity } from './member-store.ts';
import type { Factor, User } from './account-store.ts';
import { ACCESS_LIFETIME, type AccessTokens, type OneTimeToken } from './tokens/access-tokens.ts';
import { auditEntry } from '../audit/audit.ts';
import { passwordVersion, verifyPassword } from './passwords/password.ts';
import { recoveryCodeHash } from './factors/recovery-codes.ts';
import { newRefreshToken } from './tokens/refresh.ts';
import { clientNow } from './tokens/sessions.ts';
import { throttled } from './throttle.ts';
import { totpStep } from './factors/totp.ts';

/** A correct password gives no access, but leads to the second factor. */
export async function passwordGrant(
  context: ServiceContext,
  tokens: AccessTokens,
  { email, password }: PasswordGrantRequest,
): Promise<SignInChallenge> {
  const { accounts } = context.metadata;
  const { passwordCost } = context.accountSettings;
  const user = await throttled(context, `password:${email.toLowerCase()}`, async () => {
    const candidate = await accounts.userByEmail(email);
    if (await verifyPassword(password, candidate?.passwordHash, passwordCost)) return candidate!;
    if (candidate) noteRefusal(context, candidate);
    throw new ServiceProblem('credentials_invalid');
  });
  return challengeOf(context, tokens, user);
}

/** Runs after the response, which must not take longer for an existing account. */
function noteRefusal(context: ServiceContext, { id: userId, accountId }: User): void {
  const entry = auditEntry(context, { accountId, userId, kind: 'sign_in.password_refused' });
  setImmediate(() => {
    context.metadata.audit.record(entry).catch((error: unknown) => {
      context.log.error({ failure: failureFacts(error) }, 'a refused password was not recorded');
    });
  });
}

/**
 * Leads to the second factor, or to its enrolment if there is none yet.
 *
 * @param user with the password that was just proved: another password voids the tokens
 * @param identity the identity that the second factor links to the user
 */
export async function challengeOf(
  { metadata, clock, relyingParty }: ServiceContext,
  tokens: AccessTokens,
  { id: userId, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
  identity?: ProviderIdentity,
): Promise<SignInChallenge> {
  const factors = await metadata.accounts.factorsOf(userId);
  const claims = { sub: userId, password: passwordVersion(passwordHash) };
  const enrolment =
    factors.length > 0 || identity ? undefined : await tokens.issueOnce('enrolment', claims, clock.now());
  return {
    mfa_required: true,
    mfa_token: await tokens.issueOnce('mfa', { ...claims, ...(identity && { identity }) }, clock.now()),
    factors: factors.map(({ id, type, friendlyName }) => ({ id, type, friendly_name: friendlyName })),
    ...(enrolment === undefined ? {} : { enrolment_token: enrolment }),
    ...(relyingParty && (await metadata.passkeys.list(userId)).length > 0 ? { has_passkey: true } : {}),
  };
}

/**
 * Verifies the second factor: a single-use TOTP or recovery code, with the single-use token of the password grant.
 */
export async function verifyFactor(
  context: ServiceContext,
  tokens: AccessTokens,
  request: MfaRequest & { readonly factorId: string; readonly code: string },
): Promise<UserSession> {
  const { mfaToken, factorId, code, userAgent } = request;
  return finishSignIn(context, tokens, { mfaToken, userAgent }, async (user) => {
    const factor = await context.metadata.accounts.factor(factorId);
    if (!factor || factor.userId !== user.id) throw new ServiceProblem('not_found', { detail: 'no such factor' });
    await throttled(context, `code:${user.id}`, async () => {
      if (await isRight(context, user, factor, code)) return;
      const { accountId, id: userId } = user;
      await context.metadata.audit.record(auditEntry(context, { accountId, userId, kind: 'sign_in.code_refused' }));
      throw new ServiceProblem('code_invalid');
    });
  });
}

export interface MfaRequest {
  readonly mfaToken: string;
  readonly userAgent?: string | undefined;
}

/** The person behind the single-use token of a password grant. */
export async function signingIn(
  { metadata, clock }: ServiceContext,
  tokens: AccessTokens,
  mfaToken: string,
): Promise<{ readonly user: User; readonly claims: OneTimeToken<'mfa'>; readonly tokenId: string }> {
  const claims = await tokens.verifyOnce('mfa', mfaToken, clock.now());
  const user = await metadata.accounts.user(claims.sub);
  if (!user || claims.password !== passwordVersion(user.passwordHash)) throw new ServiceProblem('token_invalid');
  return { user, claims, tokenId: claims.jti };
}

/** @param prove throws unless the person has proved a second factor */
export async function finishSignIn(
  context: ServiceContext,
  tokens: AccessTokens,
  { mfaToken, userAgent }: MfaRequest,
  prove: (user: User, tokenId: string) => Promise<void>,
): Promise<UserSession> {
  const { user, claims } = await signingIn(context, tokens, mfaToken);
  await prove(user, claims.jti);
  const isFirst = await context.metadata.tokens.spend(`mfa:${claims.jti}`, claims.exp * 1000);
  if (!isFirst) throw new ServiceProblem('token_invalid');
  if (claims.identity) await linkIdentity(context, user, claims.identity);
  return startSession(context, tokens, user, userAgent);
}

async function linkIdentity(context: ServiceContext, user: User, identity: ProviderIdentity): Promise<void> {
  const entry = { accountId: user.accountId, userId: user.id, kind: 'sign_in.provider_linked' } as const;
  const audit = auditEntry(context, { ...entry, details: { issuer: identity.issuer } });
  await context.metadata.members.linkIdentity(user.id, identity, audit);
}

async function isRight(context: ServiceContext, user: User, factor: Factor, code: string): Promise<boolean> {
  const step = totpStep(factor.secret, code, context.clock.now());
  if (step !== undefined) return context.metadata.accounts.useStep(factor.id, step);
  const hash = recoveryCodeHash(code);
  if (hash === undefined) return false;
  const { accountId, id: userId } = user;
  const audit = auditEntry(context, { accountId, userId, kind: 'sign_in.recovery_code_used' });
  return context.metadata.secondFactors.useRecoveryCode(userId, hash, audit);
}

/** Issued only after a second factor. */
export async function startSession(
  context: ServiceContext,
  tokens: AccessTokens,
  user: User,
  userAgent: string | undefined,
): Promise<UserSession> {
  const now = context.clock.now();
  const family = newIdentifier('fam');
  const refresh = newRefreshToken(now);
  const { accountId, id: userId } = user;
  await context.metadata.tokens.startFamily({ id: family, userId }, refresh.stored, now, {
    client: clientNow(userAgent),
    audit: auditEntry(context, { accountId, userId, kind: 'sign_in.succeeded' }),
  });
  const claims = { kind: 'user', sub: user.id, account: user.accountId, family } as const;
  return {
    access_token: await tokens.issue(claims, now),
    refresh_token: refresh.token,
    token_type: 'bearer',
    expires_in: ACCESS_LIFETIME,
    user: { id: user.id, email: user.email, role: user.role },
  };
}
