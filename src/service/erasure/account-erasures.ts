import type { Erasure, ErasureRequest } from '../../protocol/accounts.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { memberToErase, requireMayKeepMember, requireOwner } from '../auth/members.ts';
import { deviceToRead } from '../devices/device-access.ts';
import type { ServiceContext } from '../context.ts';
import { alertManagers } from '../mail/alert-managers.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { User } from '../auth/account-store.ts';
import type { Erasure as StoredErasure, ErasureTarget } from './erased-parts.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { cancelErasure, requestErasure, type RequestedErasure } from './request-erasure.ts';

/**
 * Requests an erasure for an admin, or for an owner if it is the whole account.
 *
 * @throws ServiceProblem `permission_denied`, `not_found`; `conflict` if it is requested already, or for the last owner
 */
export async function requestByUser(context: ServiceContext, by: User, request: ErasureRequest): Promise<Erasure> {
  const { what, names } = await targetOf(context, by, request);
  const wait = context.accountSettings.erasureWait;
  const stored = await requestErasure(context, { what, names, by: by.id, wait });
  await alertManagers(context, by.accountId, 'erasure', (mail) =>
    mail.texts.erasure(mail.timeText(stored.dueAt), mail.link()),
  );
  return describe(context.metadata, stored);
}

/**
 * Cancels an erasure for somebody who may request it.
 *
 * @throws ServiceProblem `permission_denied`, `not_found`
 */
export async function cancelByUser(context: ServiceContext, by: User, id: string): Promise<void> {
  const erasure = (await context.metadata.erasures.list(by.accountId)).find((one) => one.id === id);
  if (erasure?.scope === 'account') requireOwner(by);
  if (erasure?.scope === 'member') await requireMayKeepMember(context, by, erasure);
  await cancelErasure(context, by.accountId, id, by.id);
}

/** Newest first. */
export async function listErasures(
  { metadata }: { readonly metadata: DescribedStores },
  accountId: string,
): Promise<Erasure[]> {
  const stored = await metadata.erasures.list(accountId);
  return Promise.all(stored.map((one) => describe(metadata, one)));
}

type DescribedStores = Pick<MetadataStore, 'erasures' | 'devices' | 'accounts'>;

async function targetOf(
  context: ServiceContext,
  by: User,
  request: ErasureRequest,
): Promise<Pick<RequestedErasure, 'what' | 'names'>> {
  const { accountId } = by;
  const what = (target: string): ErasureTarget => ({ accountId, scope: request.scope, target });
  switch (request.scope) {
    case 'account':
      requireOwner(by);
      return { what: what(accountId), names: {} };
    case 'member':
      await memberToErase(context, by, request.user_id);
      return { what: what(request.user_id), names: {} };
    case 'device': {
      const { id: deviceId } = await deviceToRead(context, { accountId }, request.device_id);
      return { what: what(deviceId), names: { deviceId } };
    }
    case 'set': {
      const { id: deviceId } = await deviceToRead(context, { accountId }, request.device_id);
      const set = await context.metadata.sessions.findSet(deviceId, request.backup_set);
      if (!set) throw new ServiceProblem('not_found', { detail: 'the device has no such backup set' });
      return { what: what(String(set.number)), names: { deviceId, setName: set.name } };
    }
  }
}

async function describe(stores: DescribedStores, erasure: StoredErasure): Promise<Erasure> {
  const { id, scope, target, requestedAt, dueAt, erasedAt } = erasure;
  const [set] = scope === 'set' ? await stores.erasures.sets([Number(target)]) : [];
  const deviceId = scope === 'device' ? target : set?.deviceId;
  const device = deviceId === undefined ? undefined : await stores.devices.find(deviceId);
  const user = scope === 'member' ? await stores.accounts.user(target) : undefined;
  return {
    id,
    scope,
    device_id: deviceId ?? null,
    device_name: device?.name ?? null,
    backup_set: set?.name ?? null,
    user_id: scope === 'member' ? target : null,
    email: user?.email ?? null,
    requested_at: formatTimestamp(requestedAt),
    due_at: formatTimestamp(dueAt),
    erased_at: erasedAt === undefined ? null : formatTimestamp(erasedAt),
  };
}
