import { BLOB_OVERHEAD } from '../../protocol/chunk.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { UploadTarget } from './upload-targets.ts';

/**
 * Refuses what an account has no room for. Use counts what is stored; what is on its way at that moment, in other sessions
 * too, may exceed the limit by as much.
 *
 * @param bytes of blobs that are to come
 * @throws ServiceProblem `quota_exceeded`
 */
export async function requireRoom({ metadata }: ServiceContext, accountId: string, bytes: number): Promise<void> {
  if (bytes === 0) return;
  const limit = (await metadata.plans.find(accountId))?.limit;
  if (limit === undefined) return;
  const used = (await metadata.accounts.findAccount(accountId))?.storageUsed ?? 0;
  if (used + bytes <= limit) return;
  throw new ServiceProblem('quota_exceeded', {
    detail: `${used} of ${limit} bytes are used, and ${bytes} more were to come`,
  });
}

/** As `requireRoom`, for blobs that a client wants to bring now. */
export async function requireRoomFor(
  context: ServiceContext,
  accountId: string,
  targets: readonly Pick<UploadTarget, 'size' | 'stored'>[],
): Promise<void> {
  const bytes = targets.reduce((sum, { size, stored }) => (stored ? sum : sum + size + BLOB_OVERHEAD), 0);
  await requireRoom(context, accountId, bytes);
}
