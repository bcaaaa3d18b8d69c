import type { BackupPresignResponse } from '../../protocol/backup.ts';
import type { ServiceContext } from '../context.ts';
import type { BlobKey, PresignedPut } from '../objects/object-store.ts';
import { PRESIGNED_LIFETIME } from '../objects/presigned-url.ts';
import type { BackupSession } from './store/session.ts';
import { requireRoomFor } from './quota.ts';
import { uploadTargets } from './upload-targets.ts';

export interface ChunkToUpload {
  readonly chunk_hash: string;
  /** Bytes of the blob. */
  readonly chunk_size: number;
  /** Bytes of the plaintext. */
  readonly plaintext_size?: number | undefined;
}

export interface PresignOptions {
  readonly baseUrl: string;
  /**
   * `stored` for a client that understands responses without a URL; any other gets a URL for every needed chunk, and the PUT fails
   * if the chunk is stored.
   */
  readonly known: 'stored' | 'addresses';
}

/**
 * Creates URLs for uploads, in the order of `chunks`; `undefined` for stored chunks. A single chunk that the session does not accept
 * fails the whole request.
 */
export async function presignUploads(
  context: ServiceContext,
  session: BackupSession,
  chunks: readonly ChunkToUpload[],
  { baseUrl, known }: PresignOptions,
): Promise<(BackupPresignResponse | undefined)[]> {
  const offered = chunks.map(({ chunk_hash: hash, chunk_size: size, plaintext_size: plaintextSize }) => ({
    hash,
    size,
    plaintextSize,
  }));
  const targets = await uploadTargets(context, session, offered);
  const { accountId } = session;
  const until = context.clock.now() + PRESIGNED_LIFETIME * 1000;
  await requireRoomFor(context, accountId, offered, targets, until);
  // A blob must be durable before a response confirms that it is stored.
  const arrived = targets.map(({ id, stored }) => known === 'stored' && !stored && context.intake.has(id));
  if (arrived.includes(true)) await context.intake.settle();
  const now = context.clock.now();
  const presign = createPresign(context, baseUrl, now);
  return Promise.all(
    targets.map(async ({ id, digest, size: plaintextSize, stored, expected }, index) => {
      if (arrived[index] || (stored && !(known === 'addresses' && expected))) return undefined;
      const { url, headers } = await presign(
        { accountId, chunkId: id, digest, size: offered[index]!.size },
        plaintextSize,
      );
      return { upload_url: url, expires_in: PRESIGNED_LIFETIME, method: 'PUT', headers: { ...headers } };
    }),
  );
}

/** Creates URLs of the bucket if clients access it directly, otherwise of this service. */
function createPresign(
  { objects, signer }: ServiceContext,
  baseUrl: string,
  now: number,
): (key: BlobKey, plaintextSize: number) => Promise<PresignedPut> {
  const { direct } = objects;
  if (direct) return (key) => direct.presignPut(key, now, PRESIGNED_LIFETIME);
  const expires = Math.floor(now / 1000) + PRESIGNED_LIFETIME;
  return async ({ accountId, digest, size }, plaintextSize) => ({
    url: signer.sign(baseUrl, { method: 'PUT', accountId, digest, size, plaintextSize, expires }),
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(size),
      'If-None-Match': '*',
    },
  });
}
