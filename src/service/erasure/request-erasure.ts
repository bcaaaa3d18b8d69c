import { auditEntry } from '../audit/audit.ts';
import type { ServiceContext } from '../context.ts';
import { newIdentifier } from '../identifier.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { Erasure, ErasureTarget } from './erased-parts.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { protectionOf } from './lock-end.ts';

/** Dependencies of a request, which the command line has, too. */
export interface ErasureParts extends Pick<ServiceContext, 'clock'> {
  readonly metadata: Pick<MetadataStore, 'erasures' | 'retention'>;
}

export interface RequestedErasure {
  readonly what: ErasureTarget;
  /** Its device and set, for the audit log. */
  readonly names: { readonly deviceId?: string; readonly setName?: string };
  /** A user's id; `undefined` for the operator. */
  readonly by: string | undefined;
  /** Milliseconds to wait, at least. */
  readonly wait: number;
}

/**
 * Requests an erasure, which takes effect after the wait and after every minimum retention. Backups into what is to be erased are
 * rejected until it is cancelled.
 *
 * @throws ServiceProblem `conflict` if it is requested already
 */
export async function requestErasure(
  parts: ErasureParts,
  { what, names, by, wait }: RequestedErasure,
): Promise<Erasure> {
  const { erasures } = parts.metadata;
  const { accountId, scope, target } = what;
  const now = parts.clock.now();
  const { sets } = await erasures.partsOf(what);
  const { lockedUntil } = await protectionOf(parts.metadata, accountId, sets, now);
  const times = { requestedAt: now, dueAt: Math.max(now + wait, lockedUntil), erasedAt: undefined };
  const erasure: Erasure = { id: newIdentifier('ers'), ...what, requestedBy: by, ...times };
  const details = {
    scope,
    ...(scope === 'member' ? { member: target } : {}),
    ...(names.setName === undefined ? {} : { backup_set: names.setName }),
  };
  const entry = { accountId, userId: by, deviceId: names.deviceId, kind: 'erasure.requested', details } as const;
  if (await erasures.request(erasure, auditEntry(parts, entry))) return erasure;
  throw new ServiceProblem('conflict', { detail: 'this erasure is requested already' });
}

/** @throws ServiceProblem `not_found` */
export async function cancelErasure(
  { metadata, clock }: ErasureParts,
  accountId: string,
  id: string,
  by: string | undefined,
): Promise<void> {
  const found = (await metadata.erasures.list(accountId)).find((one) => one.id === id);
  const details = found && { scope: found.scope };
  const entry = { accountId, userId: by, kind: 'erasure.cancelled', ...(details && { details }) } as const;
  if (await metadata.erasures.cancel(accountId, id, auditEntry({ clock }, entry))) return;
  throw new ServiceProblem('not_found', { detail: 'no such erasure, or no longer' });
}
