import type { AccountUser, EnrolledFactor } from '../../../protocol/accounts.ts';
import type { UserSession } from '../../../protocol/auth.ts';
import type { ServiceContext } from '../../context.ts';
import { newIdentifier } from '../../identifier.ts';
import { ServiceProblem } from '../../request/problem.ts';
import type { AccessTokens } from '../tokens/access-tokens.ts';
import { auditEntry } from '../../audit/audit.ts';
import { passwordVersion } from '../passwords/password.ts';
import { qrCodeImage } from './qr-code.ts';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.ts';
import { requireUser } from '../require-user.ts';
import { startSession } from '../sign-in.ts';
import { throttled } from '../throttle.ts';
import { shownPasskey } from './shown-passkey.ts';
import { newTotpSecret, totpStep, totpUri } from './totp.ts';

/** Time limit of an enrolment in milliseconds. */
const ENROLMENT_LIFETIME = 600_000;

const DEFAULT_NAME = 'Authenticator app';

/** A user who proves a new factor: with a sign-in (`familyId`), or before the first one. */
export interface Enroller {
  readonly userId: string;
  /** Marks the enrolment token as used; `undefined` for a signed-in user. */
  readonly finish: (() => Promise<void>) | undefined;
}

/** An enrolment token represents a user without a factor; the first factor uses it up. */
export async function enrollerOf(
  { metadata, clock }: ServiceContext,
  tokens: AccessTokens,
  enrolmentToken: string,
): Promise<Enroller> {
  const claims = await tokens.verifyOnce('enrolment', enrolmentToken, clock.now());
  const user = await metadata.accounts.user(claims.sub);
  if (!user || claims.password !== passwordVersion(user.passwordHash)) throw new ServiceProblem('token_invalid');
  const factors = await metadata.accounts.factorsOf(claims.sub);
  if (factors.length > 0) throw new ServiceProblem('token_invalid');
  const finish = async (): Promise<void> => {
    const isFirst = await metadata.tokens.spend(`enrolment:${claims.jti}`, claims.exp * 1000);
    if (!isFirst) throw new ServiceProblem('token_invalid');
  };
  return { userId: claims.sub, finish };
}

/** Creates a secret, which becomes a factor when a code of it is verified. */
export async function enrolFactor(
  context: ServiceContext,
  userId: string,
  friendlyName: string = DEFAULT_NAME,
): Promise<EnrolledFactor> {
  const user = await requireUser(context, userId);
  const id = newIdentifier('fac');
  const secret = newTotpSecret();
  const expiresAt = context.clock.now() + ENROLMENT_LIFETIME;
  await context.metadata.secondFactors.enrol({ id, userId, friendlyName, secret, expiresAt });
  const uri = totpUri(secret, user.email);
  return { id, type: 'totp', friendly_name: friendlyName, totp: { secret, uri, qr_code: qrCodeImage(uri) } };
}

/** The result of proving a factor: the first sign-in or only the factor, and recovery codes if there were none. */
export interface ProvedFactor {
  readonly session: UserSession | undefined;
  readonly recoveryCodes: readonly string[] | undefined;
}

/** Throws `code_invalid`, or `token_invalid` if this user is not enrolling the factor. */
export async function proveFactor(
  context: ServiceContext,
  tokens: AccessTokens,
  { userId, finish }: Enroller,
  {
    factorId,
    code,
    userAgent,
  }: { readonly factorId: string; readonly code: string; readonly userAgent?: string | undefined },
): Promise<ProvedFactor> {
  const { clock, metadata } = context;
  const user = await requireUser(context, userId);
  const factor = await metadata.secondFactors.pending(factorId);
  if (!factor || factor.userId !== userId || factor.expiresAt <= clock.now()) {
    throw new ServiceProblem('token_invalid', { detail: 'the factor is not being enrolled: it takes an MFA token' });
  }
  const step = await throttled(context, `code:${userId}`, async () => {
    const right = totpStep(factor.secret, code, clock.now());
    if (right === undefined) throw new ServiceProblem('code_invalid');
    return right;
  });
  await finish?.();
  const codes = newRecoveryCodes();
  const outcome = await metadata.secondFactors.activate(factorId, {
    step,
    recoveryCodes: codes.map((one) => recoveryCodeHash(one)!),
    now: clock.now(),
    audit: auditEntry(context, { accountId: user.accountId, kind: 'factor.added', userId }),
  });
  if (outcome === undefined) throw new ServiceProblem('token_invalid');
  return {
    session: finish === undefined ? undefined : await startSession(context, tokens, user, userAgent),
    recoveryCodes: outcome === 'activated_with_codes' ? codes : undefined,
  };
}

/** Removes one of several factors; the last one stays, since a second factor is mandatory. */
export async function removeFactor(
  context: ServiceContext,
  userId: string,
  { factorId, code }: { readonly factorId: string; readonly code: string },
): Promise<void> {
  const user = await requireUser(context, userId);
  await confirmWithCode(context, userId, code);
  const audit = auditEntry(context, { accountId: user.accountId, kind: 'factor.removed', userId });
  const outcome = await context.metadata.secondFactors.remove(userId, factorId, audit);
  if (outcome === undefined) throw new ServiceProblem('not_found', { detail: 'no such factor' });
  if (outcome === 'last') throw new ServiceProblem('conflict', { detail: 'the last second factor cannot be removed' });
}

/** Creates ten codes; earlier ones become invalid. */
export async function replaceRecoveryCodes(
  context: ServiceContext,
  userId: string,
  code: string,
): Promise<readonly string[]> {
  const user = await requireUser(context, userId);
  await confirmWithCode(context, userId, code);
  const codes = newRecoveryCodes();
  const audit = auditEntry(context, { accountId: user.accountId, kind: 'recovery_codes.replaced', userId });
  await context.metadata.secondFactors.replaceRecoveryCodes(
    userId,
    codes.map((one) => recoveryCodeHash(one)!),
    audit,
  );
  return codes;
}

/** Verifies a single-use code of any of the user's factors, for actions that a stolen access token must not permit. */
export async function confirmWithCode(context: ServiceContext, userId: string, code: string): Promise<void> {
  const { accounts } = context.metadata;
  await throttled(context, `code:${userId}`, async () => {
    for (const factor of await accounts.factorsOf(userId)) {
      const step = totpStep(factor.secret, code, context.clock.now());
      if (step !== undefined && (await accounts.useStep(factor.id, step))) return;
    }
    throw new ServiceProblem('code_invalid');
  });
}

export async function describeUser(context: ServiceContext, userId: string): Promise<AccountUser> {
  const { id, email, role, passwordHash } = await requireUser(context, userId);
  const factors = await context.metadata.accounts.factorsOf(id);
  return {
    id,
    email,
    role,
    has_password: passwordHash !== '',
    factors: factors.map((factor) => ({ id: factor.id, type: factor.type, friendly_name: factor.friendlyName })),
    passkeys: (await context.metadata.passkeys.list(id)).map(shownPasskey),
    may_add_passkeys: context.relyingParty !== undefined,
    recovery_codes_left: await context.metadata.secondFactors.recoveryCodesLeft(id),
  };
}
