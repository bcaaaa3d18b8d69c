import type { PresignedDownload } from '../../protocol/restore.ts';
import type { ServiceContext } from '../context.ts';
import type { BlobKey } from '../objects/object-store.ts';
import { PRESIGNED_LIFETIME } from '../objects/presigned-url.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { RestoreSession } from '../store/restores/restores.ts';
import { noteLost } from './get-blobs.ts';
import { handOutChunks } from './restore-access.ts';
import type { RestoreChunkMemory } from './restore-chunks.ts';

/** Hashes that one call may carry; the interface recommends a tenth of it. */
const MAXIMUM_BATCH = 1_000;

/** Addresses for downloads, in the order of `hashes`. A chunk whose blob is known to be gone is left out. */
export async function presignDownloads(
  context: ServiceContext,
  memory: RestoreChunkMemory,
  session: RestoreSession,
  hashes: readonly string[],
  baseUrl: string,
): Promise<PresignedDownload[]> {
  if (hashes.length > MAXIMUM_BATCH) {
    throw new ServiceProblem('too_large', { detail: `more than ${MAXIMUM_BATCH} hashes in one call` });
  }
  const keys = await handOutChunks(context, memory, session, hashes);
  const gone = await goneAmong(
    context,
    keys.filter((key) => key?.again === true),
  );
  const presign = createPresign(context, baseUrl);
  const downloads = await Promise.all(
    keys.map(async (key, index): Promise<PresignedDownload | undefined> => {
      if (!key || gone.has(key.chunkId)) return undefined;
      return { hash: hashes[index]!, url: await presign(key), size: key.size, expires_in: PRESIGNED_LIFETIME };
    }),
  );
  return downloads.filter((download) => download !== undefined);
}

/**
 * Where clients reach the storage by themselves, nobody else tells that a blob is gone: who asks for an address again may
 * have found nothing at the first. Such a chunk stops counting, so that the next backup brings it.
 */
async function goneAmong(
  context: ServiceContext,
  keys: readonly (BlobKey | undefined)[],
): Promise<ReadonlySet<number>> {
  const { direct } = context.objects;
  const asked = keys.filter((key) => key !== undefined);
  if (!direct || asked.length === 0) return new Set();
  const there = await direct.present(asked);
  const gone = asked.filter((_, index) => !there[index]).map((key) => key.chunkId);
  await noteLost(context, gone);
  return new Set(gone);
}

function createPresign({ objects, signer, clock }: ServiceContext, baseUrl: string): (key: BlobKey) => Promise<string> {
  const now = clock.now();
  const { direct } = objects;
  if (direct) return (key) => direct.presignGet(key, now, PRESIGNED_LIFETIME);
  const expires = Math.floor(now / 1000) + PRESIGNED_LIFETIME;
  return async ({ accountId, digest, size }) =>
    signer.sign(baseUrl, { method: 'GET', accountId, digest, size, expires });
}
