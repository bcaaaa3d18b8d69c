import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { OfferedBlob, UploadTarget } from './upload-targets.ts';

/**
 * Refuses uploads that exceed the account's limit. Only stored blobs count as use, so concurrent uploads, including those of other
 * sessions, may exceed the limit.
 *
 * @param bytes bytes of the blobs to be uploaded
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

/** Applies `requireRoom` to the blobs that a client wants to upload now. */
export async function requireRoomFor(
  context: ServiceContext,
  accountId: string,
  offered: readonly Pick<OfferedBlob, 'size'>[],
  targets: readonly Pick<UploadTarget, 'stored'>[],
): Promise<void> {
  const bytes = offered.reduce((sum, { size }, index) => (targets[index]!.stored ? sum : sum + size), 0);
  await requireRoom(context, accountId, bytes);
}
