import { HoldfastError } from '../../base/errors/errors.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { accountKey } from '../../protocol/extensions.ts';
import type { SignedInConnection } from '../connection.ts';
import { jsonResponse } from '../client/responses.ts';

type Access = Pick<SignedInConnection, 'calls' | 'service'>;

/** Returns whether a key can be claimed for an account before the first backup (extension `account.key`). */
export async function canClaimKey({ service }: Access, signal?: AbortSignal): Promise<boolean> {
  return (await service.capabilities(signal)).has('account.key');
}

/**
 * Returns the id of the key that a computer of the account has claimed; `undefined` if none did, or if the service cannot tell.
 *
 * @throws HoldfastError `permission_denied` (`first-computer`) if none did, and this computer would be refused
 */
export async function claimedKey(access: Access, signal?: AbortSignal): Promise<string | undefined> {
  if (!(await canClaimKey(access, signal))) return undefined;
  const read = jsonResponse(accountKey);
  const request = { method: 'GET', path: ENDPOINTS.accountKey, signal, read } as const;
  const { key_id: keyId, may_claim: mayClaim = true } = await access.calls.call(request);
  if (keyId === null && !mayClaim) throw new HoldfastError('permission_denied', { problem: 'first-computer' });
  return keyId ?? undefined;
}

/** Claims a key for a device of the account. Returns the claimed one, which is another if another computer was first. */
export async function claimKey(
  { calls }: Access,
  { keyId, deviceId }: { readonly keyId: string; readonly deviceId: string },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const json = () => ({ key_id: keyId, device_id: deviceId });
  const read = jsonResponse(accountKey);
  const claimed = await calls.call({ method: 'POST', path: ENDPOINTS.accountKey, json, signal, read });
  return claimed.key_id ?? undefined;
}
