import type { PresignedDownload } from '../../protocol/restore.ts';
import type { ServiceContext } from '../context.ts';
import type { BlobKey } from '../objects/object-store.ts';
import { PRESIGNED_LIFETIME } from '../objects/presigned-url.ts';
import { ServiceProblem } from '../problem.ts';
import type { RestoreSession } from '../store/metadata-store.ts';
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
  const presign = createPresign(context, baseUrl);
  const downloads = await Promise.all(
    keys.map(async (key, index): Promise<PresignedDownload | undefined> => {
      if (!key) return undefined;
      return { hash: hashes[index]!, url: await presign(key), size: key.size, expires_in: PRESIGNED_LIFETIME };
    }),
  );
  return downloads.filter((download) => download !== undefined);
}

function createPresign({ objects, signer, clock }: ServiceContext, baseUrl: string): (key: BlobKey) => Promise<string> {
  const now = clock.now();
  const { direct } = objects;
  if (direct) return (key) => direct.presignGet(key, now, PRESIGNED_LIFETIME);
  const expires = Math.floor(now / 1000) + PRESIGNED_LIFETIME;
  return async ({ accountId, digest, size }) =>
    signer.sign(baseUrl, { method: 'GET', accountId, digest, size, expires });
}
