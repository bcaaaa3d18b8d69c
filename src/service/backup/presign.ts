import type { BackupPresignResponse } from '../../protocol/backup.ts';
import { BLOB_OVERHEAD, hexDigestOf } from '../../protocol/chunk.ts';
import type { ServiceContext } from '../context.ts';
import { PRESIGNED_LIFETIME } from '../objects/presigned-url.ts';
import { ServiceProblem } from '../problem.ts';
import type { BackupSession } from '../store/metadata-store.ts';

export interface ChunkToUpload {
  readonly chunk_hash: string;
  /** Bytes of the blob. */
  readonly chunk_size: number;
}

/** Addresses for uploads, in the order of `chunks`; one that the session does not need is refused with all others. */
export async function presignUploads(
  context: ServiceContext,
  session: BackupSession,
  chunks: readonly ChunkToUpload[],
  baseUrl: string,
): Promise<BackupPresignResponse[]> {
  const digests = chunks.map((chunk) => Buffer.from(hexDigestOf(chunk.chunk_hash), 'hex'));
  const needed = await context.metadata.chunks.findNeeded(session, digests, 'as-needed');
  const expires = Math.floor(context.clock.now() / 1000) + PRESIGNED_LIFETIME;
  return chunks.map(({ chunk_hash: hash, chunk_size: size }, index) => {
    const chunk = needed[index];
    if (!chunk) throw new ServiceProblem('chunk_not_in_session', { detail: hash });
    checkBlobSize(hash, chunk.size, size);
    const { accountId } = session;
    return {
      upload_url: context.signer.sign(baseUrl, { method: 'PUT', accountId, digest: chunk.digest, size, expires }),
      expires_in: PRESIGNED_LIFETIME,
      method: 'PUT',
      headers: {
        'Content-Type': 'application/octet-stream',
        'Content-Length': String(size),
        'If-None-Match': '*',
      },
    };
  });
}

/** Sealing adds a fixed number of bytes, so the size of a blob says whether it can be its chunk's. */
export function checkBlobSize(hash: string, chunkSize: number, blobSize: number): void {
  const expected = chunkSize + BLOB_OVERHEAD;
  if (blobSize === expected) return;
  const detail = `${hash} has ${chunkSize} bytes, so its blob has ${expected}, not ${blobSize}`;
  throw new ServiceProblem('chunk_size_mismatch', { detail });
}
