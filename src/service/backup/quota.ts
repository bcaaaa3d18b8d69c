import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { OfferedBlob, UploadTarget } from './upload-targets.ts';

/**
 * Refuses uploads that exceed the account's limit.
 *
 * @param bytes bytes of the blobs to be uploaded
 * @throws ServiceProblem `quota_exceeded`
 */
export async function requireRoom(context: ServiceContext, accountId: string, bytes: number): Promise<void> {
  const limit = await limitOf(context, accountId);
  if (limit !== undefined) await requireBelow(context, accountId, limit, bytes, 0);
}

/**
 * Refuses blobs that a client wants to upload now, if they exceed the account's limit together with those that have a presigned URL.
 *
 * @param until when the reservation ends if they are not stored, in milliseconds since the epoch
 * @returns the ids of those that had no reservation before
 * @throws ServiceProblem `quota_exceeded`
 */
export async function requireRoomFor(
  context: ServiceContext,
  accountId: string,
  offered: readonly Pick<OfferedBlob, 'size'>[],
  targets: readonly Pick<UploadTarget, 'id' | 'stored'>[],
  until: number,
): Promise<readonly number[]> {
  const limit = await limitOf(context, accountId);
  if (limit === undefined) return [];
  const missing = new Map<number, number>();
  for (const [index, { id, stored }] of targets.entries()) if (!stored) missing.set(id, offered[index]!.size);
  const ids = [...missing.keys()];
  const { reservations, clock } = context;
  // Before the check, so that concurrent requests count each other's blobs.
  const added = ids.filter((id) => reservations.reserve(id, { accountId, bytes: missing.get(id)!, until }));
  const bytes = [...missing.values()].reduce((sum, size) => sum + size, 0);
  try {
    await requireBelow(context, accountId, limit, bytes, reservations.bytes(accountId, ids, clock.now()));
  } catch (error) {
    for (const id of added) reservations.release(id);
    throw error;
  }
  return added;
}

/** Bytes of trees for which an account with a limit always has room. */
const FREE_TREE_BYTES = 32 * 2 ** 20;

/**
 * Refuses a tree if the account's trees would occupy more than its blobs may.
 *
 * @param bytes by `treeBytesOf`
 * @throws ServiceProblem `quota_exceeded`
 */
export async function requireRoomForTree(context: ServiceContext, accountId: string, bytes: number): Promise<void> {
  const limit = await limitOf(context, accountId);
  if (limit === undefined || bytes === 0) return;
  const used = await context.metadata.sessions.treeBytes(accountId);
  if (used + bytes <= Math.max(limit, FREE_TREE_BYTES)) return;
  throw new ServiceProblem('quota_exceeded', {
    detail: `lists of files use ${used} bytes, and ${bytes} more were to come`,
  });
}

async function limitOf({ metadata }: ServiceContext, accountId: string): Promise<number | undefined> {
  return (await metadata.plans.find(accountId))?.limit;
}

async function requireBelow(
  { metadata }: ServiceContext,
  accountId: string,
  limit: number,
  bytes: number,
  reserved: number,
): Promise<void> {
  if (bytes === 0) return;
  const used = (await metadata.accounts.findAccount(accountId))?.storageUsed ?? 0;
  if (used + reserved + bytes <= limit) return;
  throw new ServiceProblem('quota_exceeded', {
    detail: `${used} of ${limit} bytes are used, and ${reserved + bytes} more were to come`,
  });
}
