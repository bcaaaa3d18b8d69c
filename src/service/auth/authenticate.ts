import type { Caller, ServiceContext } from '../context.ts';
import { ServiceProblem } from '../problem.ts';
import type { AccessTokens } from './access-tokens.ts';

/** The token of an `Authorization: Bearer` header (RFC 6750). Throws `token_missing`. */
export function bearerToken(header: string | undefined | null): string {
  const match = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header ?? '');
  if (!match) throw new ServiceProblem('token_missing');
  return match[1]!;
}

/** Who is asking. The store is asked each time: a revoked device and a sign-out take effect at once. */
export async function authenticate(
  { metadata, clock }: ServiceContext,
  tokens: AccessTokens,
  header: string | undefined | null,
): Promise<Caller> {
  const claims = await tokens.verify(bearerToken(header), clock.now());
  if (claims.kind === 'user') {
    if (!(await metadata.tokens.familyIsLive(claims.family))) throw new ServiceProblem('token_invalid');
    return { kind: 'user', accountId: claims.account, userId: claims.sub, familyId: claims.family };
  }
  const device = await metadata.devices.find(claims.sub);
  if (!device || device.revokedAt !== undefined) throw new ServiceProblem('token_invalid');
  const { id, accountId, permissions } = device;
  return { kind: 'device', accountId, deviceId: id, permissions };
}
