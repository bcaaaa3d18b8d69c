import { createHash, randomBytes } from 'node:crypto';
import type { RefreshedSession } from '../../../protocol/auth.ts';
import type { ServiceContext } from '../../context.ts';
import { ServiceProblem } from '../../request/problem.ts';
import type { NewRefreshToken } from './token-store.ts';
import { ACCESS_LIFETIME, type AccessTokens } from './access-tokens.ts';
import { auditEntry } from '../../audit/audit.ts';
import { clientNow } from './sessions.ts';
import { DAY } from '../../../model/units.ts';

/** Lifetime of a refresh token in milliseconds; each renewal restarts it. */
const REFRESH_LIFETIME = 60 * DAY;

/** Milliseconds in which a used token is accepted once more, in case the response was lost. */
const GRACE = 10_000;

/** Only the client gets the token; the store contains its SHA-256, which suffices for 256 random bits. */
export function newRefreshToken(now: number): { readonly token: string; readonly stored: NewRefreshToken } {
  const token = randomBytes(32).toString('base64url');
  return { token, stored: { hash: hashOf(token), expiresAt: now + REFRESH_LIFETIME } };
}

/** Each refresh token is valid once. If one is reused later, it or its successor was stolen: the family ends. */
export async function refreshGrant(
  context: ServiceContext,
  tokens: AccessTokens,
  token: string,
  userAgent?: string,
): Promise<RefreshedSession> {
  const { metadata, clock } = context;
  const now = clock.now();
  // Whatever may fail comes before the token is spent: the client has no other.
  await tokens.keys.current(now);
  const successor = newRefreshToken(now);
  const reuse = (userId: string, accountId: string) =>
    auditEntry(context, { accountId, userId, kind: 'session.reuse_detected' });
  const rotation = {
    hash: hashOf(token),
    successor: successor.stored,
    now,
    grace: GRACE,
    client: clientNow(userAgent),
  };
  const outcome = await metadata.tokens.rotate(rotation, reuse);
  if (outcome.kind === 'reused') {
    context.callers.forget(outcome.familyId);
    context.log.warn('a spent refresh token came back; its sign-in was ended');
  }
  if (outcome.kind !== 'renewed') throw new ServiceProblem('token_invalid');
  const user = await metadata.accounts.user(outcome.userId);
  if (!user) throw new ServiceProblem('token_invalid');
  const claims = { kind: 'user', sub: user.id, account: user.accountId, family: outcome.familyId } as const;
  return {
    access_token: await tokens.issue(claims, now),
    refresh_token: successor.token,
    expires_in: ACCESS_LIFETIME,
  };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
