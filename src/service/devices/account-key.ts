import type { ClaimAccountKeyRequest } from '../../protocol/extensions.ts';
import { deviceToBackUp } from './device-access.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { ServiceProblem } from '../request/problem.ts';

/** The roles of those who decide about an account's first key. */
const MANAGERS: ReadonlySet<string> = new Set(['owner', 'admin']);

/**
 * Claims a key for an account, unless another one is claimed; returns the claimed one. The first claim decides which recovery phrase the
 * whole account depends on, so only owners, admins and their devices make it.
 *
 * @throws ServiceProblem `permission_denied`
 */
export async function claimAccountKey(
  context: ServiceContext,
  caller: Caller,
  { key_id: keyId, device_id: id }: ClaimAccountKeyRequest,
): Promise<string> {
  const { accountId, id: deviceId } = await deviceToBackUp(context, caller, id);
  const { accountKeys } = context.metadata;
  const claimed = await accountKeys.find(accountId);
  if (claimed !== undefined) return claimed;
  if (await mayClaim(context, caller))
    return accountKeys.claim({ accountId, deviceId, keyId, now: context.clock.now() });
  const detail = 'the first key of an account comes from a computer of its owner or an admin';
  throw new ServiceProblem('permission_denied', { detail });
}

/** Returns whether a caller may make the first claim. Devices that nobody registered are the operator's. */
export async function mayClaim({ metadata }: ServiceContext, caller: Caller): Promise<boolean> {
  const userId = caller.kind === 'user' ? caller.userId : await metadata.deviceActivity.registeredBy(caller.deviceId);
  if (userId === undefined) return true;
  return MANAGERS.has((await metadata.accounts.user(userId))?.role ?? '');
}
