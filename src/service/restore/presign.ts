import type { PresignedDownload } from '../../protocol/restore.ts';
import type { ServiceContext } from '../context.ts';
import type { BlobKey } from '../objects/object-store.ts';
import { PRESIGNED_LIFETIME } from '../objects/presigned-url.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { RestoreSession } from './restore-store.ts';
import { recordLost } from './read-blobs.ts';
import { handOutChunks, type BackupCheck, type HandedOut } from './restore-access.ts';
import type { RestoreContext } from './restore-chunks.ts';

/** The most hashes in one call; the interface recommends a tenth of it. */
const MAXIMUM_BATCH = 1_000;

/** Creates URLs for downloads, in the order of `hashes`, without lost chunks. */
export async function presignDownloads(
  context: RestoreContext,
  session: RestoreSession | BackupCheck,
  hashes: readonly string[],
  { baseUrl, person }: { readonly baseUrl: string; readonly person: string },
): Promise<PresignedDownload[]> {
  if (hashes.length > MAXIMUM_BATCH) {
    throw new ServiceProblem('too_large', { detail: `more than ${MAXIMUM_BATCH} hashes in one call` });
  }
  const keys = await handOutChunks(context, session, hashes);
  const gone = await missingAmong(
    context.service,
    keys.filter((key) => key?.again === true),
  );
  const presign = createPresign(context.service, baseUrl, person);
  const downloads = await Promise.all(
    keys.map(async (key, index): Promise<PresignedDownload | undefined> => {
      if (!key || gone.has(key.chunkId)) return undefined;
      return { hash: hashes[index]!, url: await presign(key), size: key.size, expires_in: PRESIGNED_LIFETIME };
    }),
  );
  return downloads.filter((download) => download !== undefined);
}

/**
 * Finds missing blobs in a bucket that clients access directly: a client that requests a URL again may have found nothing at the
 * first one. Missing blobs are marked as lost, so that the next backup uploads them again.
 */
async function missingAmong(
  context: ServiceContext,
  keys: readonly (BlobKey | undefined)[],
): Promise<ReadonlySet<number>> {
  const { direct } = context.objects;
  const asked = keys.filter((key) => key !== undefined);
  if (!direct || asked.length === 0) return new Set();
  const there = await direct.present(asked);
  const gone = asked.filter(({ size }, index) => there[index] !== size).map((key) => key.chunkId);
  await recordLost(context, gone);
  return new Set(gone);
}

function createPresign(
  { objects, signer, clock }: ServiceContext,
  baseUrl: string,
  person: string,
): (key: HandedOut) => Promise<string> {
  const now = clock.now();
  const { direct } = objects;
  if (direct) return (key) => direct.presignGet(key, now, PRESIGNED_LIFETIME);
  const expires = Math.floor(now / 1000) + PRESIGNED_LIFETIME;
  return async ({ accountId, digest, size, plaintextSize }) =>
    signer.sign(baseUrl, { method: 'GET', accountId, digest, size, plaintextSize, expires, person });
}
