import type { Erasure } from '../../protocol/accounts.ts';
import { DEFAULT_ACCOUNT_SETTINGS } from '../auth/account-settings.ts';
import { listErasures } from '../erasure/account-erasures.ts';
import { cancelErasure, requestErasure, type RequestedErasure } from '../erasure/request-erasure.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { onAccount, type AccountLocation } from './on-account.ts';

/** The account, and how long its erasures wait at this service. */
export interface ErasureOwner extends AccountLocation {
  readonly accounts?: { readonly erasureWait?: number };
}

/** What the operator wants erased; the whole account if nothing is named. */
export interface WantedErasure {
  readonly device?: string;
  readonly set?: string;
  /** The e-mail address of a member. */
  readonly member?: string;
  /** True to wait for minimum retention only. */
  readonly isImmediate: boolean;
}

/** Newest first. @throws HoldfastError `usage` if the account does not exist; so all that follow */
export function listServiceErasures(owner: ErasureOwner): Promise<readonly Erasure[]> {
  return onAccount(owner, (metadata, accountId) => listErasures({ metadata }, accountId));
}

/** The running service performs it. Returns the account's erasures. */
export function requestServiceErasure(owner: ErasureOwner, wanted: WantedErasure): Promise<readonly Erasure[]> {
  return onAccount(owner, async (metadata, accountId) => {
    const wait = wanted.isImmediate ? 0 : (owner.accounts?.erasureWait ?? DEFAULT_ACCOUNT_SETTINGS.erasureWait);
    const target = await targetOf(metadata, accountId, wanted);
    await requestErasure({ metadata, clock: Date }, { ...target, by: undefined, wait });
    return listErasures({ metadata }, accountId);
  });
}

export function cancelServiceErasure(owner: ErasureOwner, id: string): Promise<readonly Erasure[]> {
  return onAccount(owner, async (metadata, accountId) => {
    await cancelErasure({ metadata, clock: Date }, accountId, id, undefined);
    return listErasures({ metadata }, accountId);
  });
}

async function targetOf(
  { accounts, devices, members, sessions }: MetadataStore,
  accountId: string,
  { device: deviceId, set: setName, member }: WantedErasure,
): Promise<Pick<RequestedErasure, 'what' | 'names'>> {
  if (member !== undefined) {
    const user = await accounts.userByEmail(member);
    if (user?.accountId !== accountId) throw missing('the account has no such member');
    const owners = (await members.list(accountId)).filter(({ role }) => role === 'owner');
    if (owners.length === 1 && owners[0]!.id === user.id) {
      throw new ServiceProblem('conflict', { detail: 'the last owner is erased with the account' });
    }
    return { what: { accountId, scope: 'member', target: user.id }, names: {} };
  }
  if (deviceId === undefined) return { what: { accountId, scope: 'account', target: accountId }, names: {} };
  const device = await devices.find(deviceId);
  if (device?.accountId !== accountId) throw missing('the account has no such device');
  if (setName === undefined) return { what: { accountId, scope: 'device', target: deviceId }, names: { deviceId } };
  const set = await sessions.findSet(deviceId, setName);
  if (!set) throw missing('the device has no such backup set');
  return { what: { accountId, scope: 'set', target: String(set.number) }, names: { deviceId, setName } };
}

function missing(detail: string): ServiceProblem {
  return new ServiceProblem('not_found', { detail });
}
