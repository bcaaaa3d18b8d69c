import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { ServiceProblem } from '../request/problem.ts';
import { permissionsOf, permissionsOfDevice } from './permissions.ts';
import type { AccessClaims, AccessTokens } from './tokens/access-tokens.ts';

/** Returns the token of an `Authorization: Bearer` header (RFC 6750). Throws `token_missing`. */
export function bearerToken(header: string | undefined | null): string {
  const match = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header ?? '');
  if (!match) throw new ServiceProblem('token_missing');
  return match[1]!;
}

/**
 * Identifies the caller. A revoked device and an ended sign-in are rejected within 30 s, and immediately by the process that ended them.
 * @param isFresh whether the store confirms the caller now, so that other processes do not matter
 */
export async function authenticate(
  context: ServiceContext,
  tokens: AccessTokens,
  header: string | undefined | null,
  isFresh = false,
): Promise<Caller> {
  const claims = await tokens.verify(bearerToken(header), context.clock.now());
  return callerOf(context, claims, isFresh);
}

/**
 * Returns the caller with the permissions that the store confirms, now or less than 30 s ago.
 *
 * @throws ServiceProblem `token_invalid` for a revoked device or an ended sign-in
 */
export async function callerOf(context: ServiceContext, claims: AccessClaims, isFresh = false): Promise<Caller> {
  const subject = claims.kind === 'user' ? claims.family : claims.sub;
  const known = isFresh ? undefined : context.callers.find(subject);
  if (known) return known;
  const caller = await confirmed(context, claims);
  context.callers.remember(subject, caller);
  return caller;
}

async function confirmed(context: ServiceContext, claims: AccessClaims): Promise<Caller> {
  const { metadata } = context;
  if (claims.kind === 'user') {
    if (!(await metadata.tokens.familyIsLive(claims.family))) throw new ServiceProblem('token_invalid');
    const user = await metadata.accounts.user(claims.sub);
    if (!user) throw new ServiceProblem('token_invalid');
    const permissions = permissionsOf(user.role);
    return { kind: 'user', accountId: claims.account, userId: claims.sub, familyId: claims.family, permissions };
  }
  const device = await metadata.devices.find(claims.sub);
  if (!device || device.revokedAt !== undefined) throw new ServiceProblem('token_invalid');
  const { id, accountId } = device;
  return { kind: 'device', accountId, deviceId: id, permissions: await permissionsOfDevice(context, device) };
}
