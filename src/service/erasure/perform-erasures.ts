import type { ServiceContext } from '../context.ts';
import type { Erasure, ErasedParts, NamedSet } from './erased-parts.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { protectionOf } from './lock-end.ts';
import { DAY, HOUR } from '../../model/units.ts';

/** Milliseconds that an erasure waits for a restore in progress: restores are how people keep what is to be erased. */
const RESTORE_WAIT = DAY;

/** Milliseconds between the end of a session and the erasure of its set: a manifest may still be arriving. */
const SESSION_WAIT = HOUR;

/**
 * Performs the erasures that are due and that nothing protects, unless another process is doing so. The collection of chunks frees
 * their space later. The next call continues after an abort or a crash.
 */
export async function performErasures(context: ServiceContext, signal: AbortSignal): Promise<void> {
  const { erasures } = context.metadata;
  if ((await erasures.due(context.clock.now())).length === 0) return;
  // The collection of chunks must not read versions while they are deleted.
  await context.metadata.exclusively('retention', async () => {
    for (const erasure of await erasures.due(context.clock.now())) {
      if (signal.aborted) return;
      await perform(context, erasure, signal);
    }
  });
}

async function perform(context: ServiceContext, erasure: Erasure, signal: AbortSignal): Promise<void> {
  const { metadata, clock, callers } = context;
  const { erasures } = metadata;
  const { accountId, scope, target } = erasure;
  const parts = await erasures.partsOf(erasure);
  if (!(await mayBegin(context, erasure, parts))) return;
  const sets = await erasures.sets(parts.sets);
  for (const { number } of sets) {
    while (await erasures.deleteVersions(number)) {
      if (signal.aborted) return;
      await new Promise(setImmediate);
    }
  }
  if (scope !== 'account') await deleteDeliveries(context, erasure, parts, sets);
  for (const { number } of sets) await erasures.deleteSet(number);
  for (const device of parts.devices) await erasures.deleteDevice(device);
  const now = clock.now();
  if (scope === 'member') await erasures.deleteMember(accountId, target);
  if (scope === 'account') await erasures.deleteAccount(accountId, now);
  callers.forgetAll();
  // Their chunks may be unreferenced now.
  await metadata.collection.collected(accountId, 0);
  const details = { scope, ...(scope === 'member' ? { member: target } : {}) };
  const entry = { accountId, occurredAt: now, kind: 'erasure.done', details } as const;
  await erasures.finish(erasure.id, now, scope === 'device' ? { ...entry, deviceId: target } : entry);
}

/**
 * Ends the sessions of the sets first; their remains are swept before the next call. The due time already includes the minimum
 * retention at the request, and no restore point came later: a minimum that got longer meanwhile does not postpone an erasure.
 */
async function mayBegin(
  { metadata, clock }: ServiceContext,
  erasure: Erasure,
  { sets }: ErasedParts,
): Promise<boolean> {
  const { erasures, sessions } = metadata;
  const now = clock.now();
  const { isInUse, isHeld } = await protectionOf(metadata, erasure.accountId, sets, now);
  if (isHeld || (await isLastOwner(metadata, erasure))) return false;
  const unfinished = await erasures.unfinished(sets);
  for (const number of unfinished) await sessions.fail(number, now, undefined);
  if (unfinished.length > 0 || (isInUse && now < erasure.dueAt + RESTORE_WAIT)) return false;
  return !(await erasures.isSettling(sets, now - SESSION_WAIT));
}

/** An account keeps an owner, who may have become the only one since the request. */
async function isLastOwner({ members }: MetadataStore, { accountId, scope, target }: Erasure): Promise<boolean> {
  if (scope !== 'member') return false;
  const owners = (await members.list(accountId)).filter(({ role }) => role === 'owner');
  return owners.length === 1 && owners[0]!.id === target;
}

async function deleteDeliveries(
  { metadata: { erasures } }: ServiceContext,
  { accountId, scope, target }: Erasure,
  { devices }: ErasedParts,
  sets: readonly NamedSet[],
): Promise<void> {
  const erased = { devices, sets, members: scope === 'member' ? [target] : [] };
  let after: string | undefined = '';
  while (after !== undefined) after = await erasures.deleteDeliveries(accountId, erased, after);
}
