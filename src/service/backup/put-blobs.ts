import { hexDigestOf } from '../../protocol/chunk.ts';
import type { ServiceContext } from '../context.ts';
import type { KeyedBlob } from '../objects/object-store.ts';
import { ServiceProblem } from '../problem.ts';
import type { BackupSession } from '../store/metadata-store.ts';
import { checkBlobSize } from './presign.ts';

export interface SealedBlob {
  /** `sha256:<hex>` of the plaintext. */
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/**
 * Stores blobs of an open session without HTTP in between. Those that are there already are left as they are. They are on
 * disk, at the latest, when complete answers.
 */
export async function putBlobs(
  { metadata, intake }: ServiceContext,
  session: Pick<BackupSession, 'number' | 'accountId'>,
  blobs: readonly SealedBlob[],
): Promise<void> {
  const digests = blobs.map((blob) => Buffer.from(hexDigestOf(blob.hash), 'hex'));
  const needed = await metadata.chunks.findNeeded(session, digests, 'as-needed');
  const { accountId } = session;
  const arriving: KeyedBlob[] = [];
  for (const [index, { hash, bytes }] of blobs.entries()) {
    const chunk = needed[index];
    if (!chunk) throw new ServiceProblem('chunk_not_in_session', { detail: hash });
    checkBlobSize(hash, chunk.size, bytes.length);
    if (chunk.stored || intake.has(chunk.id)) continue;
    arriving.push({ key: { accountId, chunkId: chunk.id, digest: chunk.digest, size: bytes.length }, bytes });
  }
  if (arriving.length > 0) await intake.put(arriving);
}
